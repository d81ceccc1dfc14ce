/* SPDX-License-Identifier: MIT
 *
 * launch.js - the page of one launch: verdict, time, the memory picture, lines with their lanes,
 * occupancy, the memory pipe, every metric.
 */

/* Parts that launches have alike, by their number. */
const parts = [];

/* Takes the place of each number, in the order in which parts were written. */
function resolve(launch) {
  for (const key of ["curves", "arrays", "lines"]) {
    if (typeof launch[key] === "number") launch[key] = parts[launch[key]];
    else if (launch[key]) parts.push(launch[key]);
  }
  return launch;
}

/* Sentences behind their words. */
const labelled = (pairs) => h("dl", null, pairs.filter(([, text]) => text)
  .map(([label, text], i, all) => [h("dt", null, i && all[i - 1][0] === label ? "" : label), h("dd", null, text)]));

function verdictBox(launch) {
  const [first, ...others] = launch.findings;
  return h("section", { class: /^no/.test(first.kind) ? "verdict fine" : "verdict" },
    h("p", { class: "kind" }, words(first.kind)),
    h("p", { class: "what" }, first.what),
    labelled([["Fix", first.fix], ["Bound", first.bound],
      ...others.map((other) => ["Also", other.what]), ...launch.notes]));
}

const tile = (label, value, note) => !value || value === NONE ? null
  : h("div", { class: "tile" }, h("span", null, label), h("b", null, value), note ? h("small", null, note) : null);

function tiles(of, first) {
  const peak = (level) => known(metric(of, `${level}.peak`)) ? `${percent(metric(of, `${level}.peak`))} of peak` : "";
  return h("div", { class: "tiles" }, first,
    tile("Time", metricShown(of, "time")),
    tile("DRAM", metricShown(of, "dram.rate"), peak("dram")),
    tile("L2", metricShown(of, "l2.rate"), peak("l2")),
    known(metric(of, "shared.per_request"))
      ? tile("Shared", metricShown(of, "shared.rate"), `${metricShown(of, "shared.per_request")} wavefronts a request`)
      : tile("Useful", metricShown(of, "useful.rate"), "asked for by lanes"),
    tile("Occupancy", metricShown(of, "occupancy.achieved"),
      known(metric(of, "occupancy")) ? `of ${metricShown(of, "occupancy")}` : ""),
    tile("A load waits", known(metric(of, "load.latency")) ? `${whole(metric(of, "load.latency"))} clocks` : ""));
}

function timeSection(launch) {
  if (!launch.time) {
    return section("Least cycles", "counted without timing; each resource alone", leastCycles(launch));
  }
  return section("Time", `${count(launch.time.cycles)} cycles at ${launch.time.mhz} MHz`,
    h("h3", null, "What warps spend their clocks on"), waits(launch),
    h("h3", null, "The least that each resource alone needs"), leastCycles(launch));
}

function lineEntry(line, open) {
  const head = h("summary", null,
    h("span", { class: "place" }, h("b", null, line.place),
      h("code", null, line.opcode + (line.instructions > 1 ? ` \u00d7${line.instructions}` : ""))),
    h("span", { class: line.excess > 0 ? "cost bad" : "cost" },
      h("b", null, known(line.per) ? ratio(line.per) : NONE), ` ${line.work_name} a request, ideal ${known(line.ideal) ? ratio(line.ideal) : NONE}`),
    h("span", { class: "excess" }, line.excess > 0
      ? [h("b", null, count(line.excess)), ` in excess${known(line.share) ? `, ${percent(line.share)} of all` : ""}`] : "no excess"),
    line.source ? h("code", { class: "source" }, line.source) : null);
  const details = h("details", { class: "line" }, head);
  let drawn = false;
  const draw = () => {
    if (drawn) return;
    drawn = true;
    details.append(h("div", { class: "inside" },
      h("p", null, `${line.access}, ${count(line.requests)} requests`, line.why ? `; worst request: ${line.why}` : ""),
      line.worst ? laneMap(line.worst) : null));
  };
  details.addEventListener("toggle", draw);
  details.draw = draw;
  if (open) { draw(); details.open = true; }
  return details;
}

const SOME_LINES = 12;

function linesSection(launch) {
  const lines = launch.lines;
  if (!lines) {
    return section("Lines", null, h("p", { class: "note" },
      `Left out to keep this page small: gmsim --launch ${launch.n} shows them.`));
  }
  if (!lines.line.length) return null;
  const hot = lines.line[0].excess > 0;
  return section(hot ? "Lines by excess work" : "Lines by work",
    lines.line.length < lines.count ? `${lines.line.length} of ${lines.count}` : hot ? "" : "none is in excess",
    lines.line.slice(0, SOME_LINES).map((line, i) => lineEntry(line, i === 0 && hot)),
    lines.line.length > SOME_LINES ? h("p", { class: "more" }, h("button", {
      type: "button",
      onclick: (event) => event.target.parentNode.replaceWith(...lines.line.slice(SOME_LINES).map((line) => lineEntry(line, false))),
    }, `Show ${whole(lines.line.length - SOME_LINES)} more`)) : null);
}

function occupancySection(launch) {
  const o = launch.occupancy, curves = launch.curves;
  const registers = metric(launch, "registers"), block = metric(launch, "shared.per_block");
  return section("Occupancy", `${o.warps} of ${o.most} warps an SM`,
    h("p", null, `${count(o.blocks)} block${o.blocks === 1 ? "" : "s"} an SM, limited by ${o.limiters.join(", ")}; ${+o.waves.toPrecision(3)} waves. `,
      known(registers) ? `${registers} registers a thread; ` : "", known(block) ? `${bytes(block)} of shared memory a block; ` : "",
      `carve-out ${bytes(o.carveout)}, L1 ${bytes(o.l1)}.`),
    curves ? h("div", { class: "curves" },
      occupancyCurve("registers a thread", "count", curves.registers, launch, o.most),
      occupancyCurve("shared memory a block", "bytes", curves.shared, launch, o.most),
      occupancyCurve("threads a block", "count", curves.threads, launch, o.most)) : null);
}

function pipeSection(launch) {
  if (!launch.pipe.length) return null;
  const bound = launch.bound;
  const number = (title, key, show, minor) => ({
    title, minor, value: (line) => line[key], cell: (line) => known(line[key]) ? show(line[key]) : NONE,
  });
  const table = sortable([
    { title: "Level", left: true, value: (line) => line.unit, cell: (line) => line.unit },
    { title: "Access", left: true, value: (line) => line.access, cell: (line) => line.access },
    number("Requests", "requests", count, true),
    { title: "Work", kind: "inline", value: (line) => line.work, cell: (line) => known(line.work) ? [count(line.work), h("small", null, line.work_name)] : NONE },
    number("A request", "per", ratio),
    number("Ideal", "ideal", ratio),
    number("Hit", "hit", percent),
    number("Bytes", "bytes", bytes),
    {
      title: "Least cycles", minor: true, value: (line) => launch.least[line.resource],
      cell: (line) => known(line.resource) && known(launch.least[line.resource])
        ? h("span", { class: line.resource === bound ? "bad" : undefined }, count(launch.least[line.resource])) : "",
    }]);
  table.show(launch.pipe);
  return section("Memory pipe", null, table.node, launch.l2 && launch.l2.dirty > 0
    ? h("p", { class: "note" }, `${bytes(launch.l2.dirty)} written stay in L2 when the launch ends.`) : null);
}

/* How far a prediction is off, in a colour of its size. */
function off(entry) {
  const points = data.metrics[entry[0]].unit === "percent", size = Math.abs(entry[2]);
  return h("span", { class: size <= (points ? 2 : 10) ? "good" : "bad" },
    `${entry[2] < 0 ? "\u2212" : entry[2] > 0 ? "+" : ""}${size.toFixed(1)}${points ? " pt" : "\u2009%"}`);
}

/* [metric, value, off] of what was measured; undefined where it was not. */
const measuredOf = (launch, name) => launch.measured && launch.measured.find((entry) => entry[0] === byName.get(name));

function measuredSection(launch) {
  if (!launch.measured) return null;
  const m = (entry) => data.metrics[entry[0]];
  const table = sortable([
    { title: "Metric", left: true, kind: "name", value: (e) => e[0], cell: (e) => [h("code", null, m(e).name), h("small", null, m(e).meaning)] },
    { title: "Predicted", value: (e) => launch.m[e[0]], cell: (e) => shown(m(e).unit, launch.m[e[0]]) },
    { title: "Measured", value: (e) => e[1], cell: (e) => shown(m(e).unit, e[1]) },
    { title: "Off by", value: (e) => known(e[2]) ? Math.abs(e[2]) : undefined, cell: (e) => known(e[2]) ? off(e) : NONE },
  ], [3, true], 8);
  const told = launch.measured.filter((entry) => entry[1] !== 0 || launch.m[entry[0]]);
  table.show(told);
  return section("Predicted beside measured", `the farthest off first, ${told.length} metrics that are not 0`, table.node);
}

/* Names as in the report's other formats. */
const arrayName = (array) => array.name || ({
  allocation: `allocation ${array.number}`, elsewhere: "elsewhere", local: "local memory", earlier: "from before",
})[array.array] || array.array;

const arrayLine = (array) => known(array.line) && array.file ? `${array.file}:${array.line}` : "";

/* "cudaMalloc at app.cu:31, 0x7f00...", "cudaMalloc in main(), 0x7f00..." */
const arrayPlace = (array) => [
  [array.call, arrayLine(array) && `${array.call ? "at " : ""}${arrayLine(array)}`, array.function && `in ${array.function}`].filter(Boolean).join(" "),
  known(array.base) ? `0x${array.base.toString(16)}` : "",
].filter(Boolean).join(", ");

function arraysSection(launch) {
  const arrays = launch.arrays && launch.arrays.arrays;
  if (!arrays || !arrays.length) return null;
  const sum = (array, ...keys) => keys.every((key) => known(array[key])) ? keys.reduce((total, key) => total + array[key], 0) : undefined;
  const column = (title, keys, hint, minor) => ({
    title, hint, minor, value: (array) => sum(array, ...keys), cell: (array) => known(sum(array, ...keys)) ? bytes(sum(array, ...keys)) : NONE,
  });
  const table = sortable([
    {
      title: "Array", left: true, value: arrayName,
      cell: (array) => [
        h("span", { title: arrayPlace(array) || undefined }, arrayName(array)),
        arrayLine(array) || array.function ? h("small", null, array.function || arrayLine(array).replace(/^.*\//, "")) : null,
      ],
    },
    column("Size", ["size_bytes"], "of the allocation", true),
    column("Useful", ["useful_bytes"], "asked for by lanes"),
    column("L1 moves", ["l1_bytes"], "through L1 or past it"),
    column("L2 moves", ["l2_read_bytes", "l2_written_bytes", "l2_atomic_bytes"], "between L1 and L2"),
    column("DRAM", ["dram_read_bytes", "dram_written_bytes"], "between L2 and DRAM"),
    column("Touched", ["touched_bytes"], "different bytes, in sectors", true),
    { title: "Reuse", hint: "times each byte touched is asked for", value: (array) => array.reuse, cell: (array) => known(array.reuse) ? ratio(array.reuse) : NONE },
  ]);
  table.show(arrays);
  return section("Arrays", "traffic by allocation; those without a name are numbered by address", table.node);
}

function metricsSection(launch) {
  const rows = data.metrics.map((m, i) => ({ m, value: launch.m[i] })).filter((row) => known(row.value));
  const table = sortable([
    {
      title: "Metric", left: true, value: (row) => row.m.name,
      cell: (row) => [h("code", null, row.m.name), h("small", null, row.m.meaning)],
    },
    { title: "Value", value: (row) => row.value, cell: (row) => shown(row.m.unit, row.value) },
    { title: "Family", left: true, minor: true, value: (row) => row.m.exact ? "exact" : "modelled", cell: (row) => row.m.exact ? "exact" : "modelled" },
  ]);
  const find = h("input", {
    type: "search", placeholder: "Find a metric", "aria-label": "Find a metric",
    oninput: () => table.show(rows.filter((row) => (row.m.name + row.m.meaning).toLowerCase().includes(find.value.toLowerCase()))),
  });
  table.show(rows);
  return h("section", null, h("details", { class: "metrics" },
    h("summary", null, h("h2", null, "All metrics", h("small", null, `${rows.length}, under Nsight Compute's names`))),
    h("div", { class: "filters" }, find), table.node));
}

/* Under the cycles predicted. */
function measuredNote(launch) {
  const entry = measuredOf(launch, "cycles");
  return entry && known(entry[2]) ? [`${count(entry[1])} measured, `, off(entry)] : "";
}

function launchPage(launch, gpu, where) {
  const subtitle = [where, `grid ${sizes(launch.grid)}`, `block ${sizes(launch.block)}`,
    launch.cluster ? `cluster ${sizes(launch.cluster)}` : "", `${launch.start} L2`].filter(Boolean);
  return [
    h("h1", null, brief(launch.kernel)),
    brief(launch.kernel) !== launch.kernel ? h("p", { class: "full" }, launch.kernel) : null,
    h("p", { class: "sub" }, subtitle.map((part) => h("span", null, part))),
    verdictBox(launch),
    tiles(launch, tile(launch.time ? "Cycles" : "Least cycles", count(launch.clocks), measuredNote(launch))),
    timeSection(launch),
    launch.pipe.length ? section("Memory", "bytes, hit rates and share of peak", picture(launch, gpu)) : null,
    measuredSection(launch),
    linesSection(launch),
    launch.degrees ? section("Bank conflicts", "shared loads and stores by wavefronts a request", degreeChart(launch.degrees, launch.wider)) : null,
    occupancySection(launch),
    pipeSection(launch),
    arraysSection(launch),
    metricsSection(launch)];
}
