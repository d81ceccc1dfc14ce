/* SPDX-License-Identifier: MIT
 *
 * base.js - what every part of the page uses: elements, numbers as people read them, tables that
 * sort. Names and sentences become text nodes and nothing else; no markup is ever parsed.
 */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byName = new Map();
data.metrics.forEach((metric, i) => {
  byName.set(metric.name, i);
  if (metric.key) byName.set(metric.key, i);
});

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== ""));
  return node;
}

const h = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);

const svg = (name, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/* ------------------------------------------------------------------------------------- numbers */

const NONE = "\u2013";
const known = (value) => value !== null && value !== undefined;

function whole(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function bytes(value) {
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let unit = 0, size = value / 1024;
  if (value < 1024) return `${Math.round(value)} B`;
  for (; size >= 1023.95 && unit + 1 < units.length; unit++) size /= 1024;
  return `${size.toFixed(1)} ${units[unit]}`;
}

/* A value in its unit; of a difference with its sign. */
function shown(unit, value, delta) {
  if (!known(value)) return NONE;
  const size = Math.abs(value);
  const sign = value < 0 ? "\u2212" : delta && value > 0 ? "+" : "";
  switch (unit) {
    case "bytes": return sign + bytes(size);
    case "percent": return sign + size.toFixed(1) + (delta ? " pt" : "\u2009%");
    case "rate":
      return sign + (size < 1e12 ? (size / 1e9).toFixed(1) + " GB/s" : (size / 1e12).toFixed(2) + " TB/s");
    case "time":
      return sign + (size < 1e6 ? (size / 1e3).toFixed(2) + " \u00b5s"
        : size < 1e9 ? (size / 1e6).toFixed(2) + " ms" : (size / 1e9).toFixed(2) + " s");
    case "count": return sign + (Number.isInteger(size) ? whole(size) : size.toFixed(2));
    default: return sign + size.toFixed(2);
  }
}

const count = (value) => shown("count", value);
const percent = (value) => shown("percent", value);
const ratio = (value) => shown("ratio", value);

/* A launch's value of a metric by name or key; undefined where it has none. */
function metric(of, name) {
  const value = of.m[byName.get(name)];
  return value === null ? undefined : value;
}

const metricShown = (of, name) => shown(data.metrics[byName.get(name)].unit, metric(of, name));

const sizes = (xyz) => {
  const last = xyz[2] > 1 ? 3 : xyz[1] > 1 ? 2 : 1;
  return xyz.slice(0, last).map(whole).join("\u2009\u00d7\u2009");
};

/* "void ns::scale<2, true>(float *, int)" without what is around the name. */
function brief(kernel) {
  let name = kernel.replace(/^void /, ""), depth = 0;
  for (let i = 0; i < name.length; i++) {
    if (name[i] === "<") depth++;
    else if (name[i] === ">") depth--;
    else if (name[i] === "(" && depth === 0 && i > 0 && !name.startsWith("(anonymous", i)) {
      const behind = name.lastIndexOf("#");
      return name.slice(0, i) + (behind > i ? " " + name.slice(behind) : "");
    }
  }
  return name;
}

/* "bank-conflicts" as words. */
const words = (finding) => finding.replaceAll("-", " ");

/* --------------------------------------------------------------------------------------- parts */

const section = (title, aside, ...children) =>
  h("section", null, h("h2", null, title, aside ? h("small", null, aside) : null), children);

/* A bar of a share from 0 to 100. */
function meter(share, kind) {
  const inner = h("i", { class: kind });
  inner.style.width = `${Math.max(0, Math.min(100, share || 0))}%`;
  return h("span", { class: "meter", "aria-hidden": "true" }, inner);
}

const scroller = (child) => h("div", { class: "scroll" }, child);

const SOME_ROWS = 200;

/*
 * A table that sorts by its headings. column: {title, value(row) to sort by, cell(row) to show,
 * left, minor (not on narrow screens), hint}. by: the first order, [column, descending], or none.
 * Of more than `most` rows the others come when they are asked for. Returns {node, show(rows)}.
 */
function sortable(columns, by, most) {
  let order = by || null, rows = [], all = false;
  const body = h("tbody"), foot = h("p", { class: "more" });
  const heads = columns.map((column, i) => h("th", {
    scope: "col", class: classes(column), title: column.hint,
  }, h("button", { type: "button", onclick: () => turn(i) }, column.title)));

  function classes(column) {
    return [column.left ? "left" : "", column.minor ? "minor" : "", column.kind || ""]
      .filter(Boolean).join(" ") || undefined;
  }
  function turn(i) {
    order = order && order[0] === i ? [i, !order[1]] : [i, !columns[i].left];
    draw();
  }
  function sorted() {
    if (!order) return rows;
    const value = columns[order[0]].value, down = order[1] ? -1 : 1;
    const absent = (v) => v === undefined || v === null;
    return rows.map((row, i) => [row, value(row), i]).sort((a, b) => {
      if (absent(a[1]) || absent(b[1])) return absent(a[1]) - absent(b[1]) || a[2] - b[2];
      return (a[1] < b[1] ? -down : a[1] > b[1] ? down : 0) || a[2] - b[2];
    }).map((entry) => entry[0]);
  }
  function draw() {
    const list = sorted(), few = all ? list : list.slice(0, most || SOME_ROWS);
    heads.forEach((head, i) => {
      if (order && order[0] === i)
        head.setAttribute("aria-sort", order[1] ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(...few.map((row) => h("tr", null,
      columns.map((column) => h("td", { class: classes(column) }, column.cell(row))))));
    foot.replaceChildren(...(few.length < list.length ? [h("button", {
      type: "button", onclick: () => { all = true; draw(); },
    }, `Show all ${whole(list.length)} rows`)] : []));
  }
  const node = h("div", null,
    scroller(h("table", null, h("thead", null, h("tr", null, heads)), body)), foot);
  return { node, show(list) { rows = list; draw(); } };
}
