/* SPDX-License-Identifier: MIT
 *
 * charts.js - what warps wait for, least cycles of resources, curves of occupancy, and lines over
 * an axis for sweeps.
 */

/* One bar of shares and its legend, the largest first. */
function waits(launch) {
  const parts = launch.time.waits.map((share, i) => ({ share, i })).filter((p) => p.share > 0)
    .sort((a, b) => b.share - a.share || a.i - b.i);
  const bar = h("div", { class: "stack", role: "img", "aria-label": "what warps spend their clocks on" });
  for (const part of parts) {
    const piece = h("i", { class: `wait w${part.i}`, title: `${data.stalls[part.i]} ${percent(part.share)}` });
    piece.style.flexGrow = part.share;
    bar.append(piece);
  }
  return [bar, h("ul", { class: "legend" }, parts.filter((p) => p.share >= 0.05).map((part) =>
    h("li", null, h("i", { class: `wait w${part.i}` }), data.stalls[part.i],
      h("b", null, percent(part.share)))))];
}

/* What each resource alone needs at least, of the cycles predicted. */
function leastCycles(launch) {
  const of = launch.time ? launch.time.cycles : Math.max(...launch.least.map((n) => n || 0), 1);
  const lines = launch.least.map((least, i) => ({ name: data.resources[i], least, bound: launch.bound === i }))
    .filter((line) => line.least > 0);
  if (launch.time && launch.time.launch > 0)
    lines.push({ name: "launch", least: launch.time.launch });
  return h("div", { class: "bars" }, lines.map((line) => h("div", { class: line.bound ? "bound" : undefined },
    h("span", { class: "label" }, line.name), meter(100 * line.least / of, line.bound ? "bad" : ""),
    h("span", { class: "value" }, count(line.least), launch.time ? ` (${percent(100 * line.least / of)})` : ""))));
}

/* Where an axis from 0 ends so that its quarters are short numbers. */
function niceTop(most) {
  const step = 10 ** Math.floor(Math.log10(most || 1));
  for (const factor of [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10])
    if (factor * step >= most) return factor * step;
  return most;
}

const axisLabel = (unit, value) => unit === "count" || unit === "ratio"
  ? value >= 1e9 ? `${+(value / 1e9).toPrecision(3)} G` : value >= 1e6 ? `${+(value / 1e6).toPrecision(3)} M`
    : value >= 1e4 ? `${+(value / 1e3).toPrecision(3)} k` : `${+value.toPrecision(3)}`
  : unit === "percent" ? `${+value.toPrecision(3)} %` : shown(unit, value);

/* Occupancy over one thing that a launch asks for; steps are [from, warps, from, warps, ...]. */
function occupancyCurve(title, unit, curve, launch, most) {
  const W = 320, H = 190, left = 34, right = 10, top = 14, bottom = 34;
  const x = (value) => left + (W - left - right) * value / curve.last;
  const y = (warps) => H - bottom - (H - top - bottom) * warps / most;
  const warpsAt = (value) => {
    let warps = 0;
    for (let i = 0; i < curve.steps.length && curve.steps[i] <= value; i += 2) warps = curve.steps[i + 1];
    return warps;
  };
  const ticks = [];
  let path = "";
  for (let i = 0; i < curve.steps.length; i += 2) {
    const until = i + 2 < curve.steps.length ? curve.steps[i + 2] : curve.last;
    path += `${i === 0 ? "M" : "L"}${x(curve.steps[i])} ${y(curve.steps[i + 1])}H${x(until)}`;
  }
  const step = 2 ** Math.round(Math.log2(curve.last / 4));
  for (let value = 0; value <= curve.last + step / 8; value += step) ticks.push(Math.min(value, curve.last));
  const spot = svg("circle", { r: 4, class: "spot hidden" });
  const tip = svg("text", { class: "tip hidden" });
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `occupancy over ${title}` },
    [0, 0.5, 1].map((part) => [
      svg("line", { x1: left, x2: W - right, y1: y(part * most), y2: y(part * most), class: "grid" }),
      svg("text", { x: left - 6, y: y(part * most) + 4, class: "tick", "text-anchor": "end" }, part * most)]),
    ticks.map((value) => svg("text", {
      x: x(value), y: H - bottom + 16, class: "tick", "text-anchor": x(value) > W - 20 ? "end" : "middle",
    }, unit === "bytes" ? value ? `${Math.round(value / 1024)} KiB` : 0 : value)),
    svg("text", { x: (left + W - right) / 2, y: H - 3, class: "axis" }, title),
    svg("path", { d: path, class: "curve" }),
    known(curve.at) ? [
      svg("line", { x1: x(curve.at), x2: x(curve.at), y1: y(0), y2: y(launch.occupancy.warps), class: "drop" }),
      svg("circle", { cx: x(curve.at), cy: y(launch.occupancy.warps), r: 5, class: "point" },
        svg("title", null, `this launch: ${shown(unit, curve.at)}, ${launch.occupancy.warps} warps`))] : null,
    spot, tip);
  chart.addEventListener("pointermove", (event) => {
    const at = (event.clientX - chart.getBoundingClientRect().left) * W / chart.getBoundingClientRect().width;
    const value = Math.round(Math.max(0, Math.min(1, (at - left) / (W - left - right))) * curve.last);
    spot.setAttribute("cx", x(value));
    spot.setAttribute("cy", y(warpsAt(value)));
    tip.setAttribute("x", Math.max(left + 60, Math.min(W - 60, x(value))));
    tip.setAttribute("y", Math.max(top + 2, y(warpsAt(value)) - 10));
    tip.textContent = `${shown(unit, value)}: ${warpsAt(value)} warps`;
    for (const node of [spot, tip]) node.classList.remove("hidden");
  });
  chart.addEventListener("pointerleave", () => { for (const node of [spot, tip]) node.classList.add("hidden"); });
  return h("figure", null, chart);
}

/* Numbers of a sweep's column: 64K, 1.5M, 32; null where one is none. */
function axisNumber(text) {
  const found = /^(-?[0-9.]+)\s*([KMGT]?)$/i.exec(text);
  return found ? Number(found[1]) * 1024 ** " KMGT".indexOf(found[2].toUpperCase() || " ") : null;
}

/*
 * Lines over an axis. labels: texts of the axis' values in order; lines: [{name, at: [value or
 * undefined of each label]}]; unit: of the values.
 */
function lineChart(axis, labels, lines, unit) {
  const W = 760, H = 340, left = 70, right = 16, top = 16, bottom = 46;
  const numbers = labels.map(axisNumber), numeric = labels.length > 1 && numbers.every(known);
  const low = Math.min(...numbers), high = Math.max(...numbers);
  const steep = numeric && low > 0 && high / low >= 16 && labels.length > 2;
  const place = (i) => !numeric || high === low ? (labels.length > 1 ? i / (labels.length - 1) : 0.5)
    : steep ? Math.log(numbers[i] / low) / Math.log(high / low) : (numbers[i] - low) / (high - low);
  const x = (i) => left + (W - left - right) * place(i);
  const most = niceTop(Math.max(0, ...lines.flatMap((line) => line.at.filter(known))));
  const y = (value) => H - bottom - (H - top - bottom) * value / (most || 1);
  const every = Math.ceil(labels.length / 9);
  const marker = svg("line", { y1: top, y2: H - bottom, class: "drop hidden" });
  const tip = h("div", { class: "tooltip hidden", role: "status" });
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `over ${axis}` },
    [0, 0.25, 0.5, 0.75, 1].map((part) => [
      svg("line", { x1: left, x2: W - right, y1: y(part * most), y2: y(part * most), class: "grid" }),
      svg("text", { x: left - 8, y: y(part * most) + 4, class: "tick", "text-anchor": "end" }, axisLabel(unit, part * most))]),
    labels.map((label, i) => i % every ? null
      : svg("text", { x: x(i), y: H - bottom + 18, class: "tick" }, label.length > 14 ? label.slice(0, 13) + "\u2026" : label)),
    svg("text", { x: (left + W - right) / 2, y: H - 6, class: "axis" }, axis),
    marker,
    lines.map((line, k) => svg("g", { class: `series s${k % 8}` },
      svg("path", { d: line.at.map((value, i) => known(value) ? `${i && known(line.at[i - 1]) ? "L" : "M"}${x(i)} ${y(value)}` : "").join(""), class: "curve" }),
      line.at.map((value, i) => known(value) ? svg("circle", { cx: x(i), cy: y(value), r: 3.5 }) : null))));
  const figure = h("figure", { class: "study" }, chart, tip,
    lines.length > 1 ? h("ul", { class: "legend" }, lines.map((line, k) =>
      h("li", null, h("i", { class: `series s${k % 8}` }), line.name))) : null);
  chart.addEventListener("pointermove", (event) => {
    const frame = chart.getBoundingClientRect(), at = (event.clientX - frame.left) * W / frame.width;
    const i = labels.reduce((best, _, k) => Math.abs(x(k) - at) < Math.abs(x(best) - at) ? k : best, 0);
    marker.setAttribute("x1", x(i));
    marker.setAttribute("x2", x(i));
    tip.replaceChildren(h("b", null, `${axis} ${labels[i]}`), ...lines.map((line) =>
      h("span", null, lines.length > 1 ? `${line.name}: ` : "", shown(unit, line.at[i]))));
    tip.style.left = `${Math.min(Math.max(x(i) / W * 100, 14), 86)}%`;
    marker.classList.remove("hidden");
    tip.classList.remove("hidden");
  });
  chart.addEventListener("pointerleave", () => { marker.classList.add("hidden"); tip.classList.add("hidden"); });
  return figure;
}
