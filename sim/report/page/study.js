/* SPDX-License-Identifier: MIT
 *
 * study.js - comparisons, with the way to either launch in full, and sweeps, a curve for what
 * varies least over what varies most.
 */

/* ------------------------------------------------------------------------------------ compare */

function quantityTable(pair) {
  const unit = (q) => data.metrics[q.metric].unit;
  const table = sortable([
    { title: "Quantity", left: true, value: (q) => q.label.trim(), cell: (q) => h("span", { class: q.label.startsWith(" ") ? "sub-label" : undefined, title: data.metrics[q.metric].name }, q.label.trim()) },
    { title: "A", value: (q) => q.a, cell: (q) => shown(unit(q), q.a) },
    { title: "B", value: (q) => q.b, cell: (q) => shown(unit(q), q.b) },
    { title: "Difference", value: (q) => q.delta, cell: (q) => known(q.delta) ? shown(unit(q), q.delta, true) : "" },
    { title: "B / A", minor: true, value: (q) => q.ratio, cell: (q) => known(q.ratio) ? q.ratio.toFixed(3) : "" },
    { title: "", left: true, value: (q) => q.word, cell: (q) => h("span", { class: q.word === "better" ? "good" : q.word === "worse" ? "bad" : undefined }, q.word === "=" ? "" : q.word) },
  ]);
  table.show(pair.quantities);
  return table.node;
}

function changedTable(pair) {
  const changed = pair.instructions.filter((one) => one.delta !== 0);
  if (!changed.length) return h("p", null, "No instruction changed.");
  const table = sortable([
    { title: "Where", left: true, kind: "name", value: (i) => i.place, cell: (i) => i.place },
    { title: "Access", left: true, minor: true, value: (i) => i.access, cell: (i) => i.access },
    { title: "A, a request", value: (i) => i.a, cell: (i) => known(i.a) ? ratio(i.a) : "none" },
    { title: "B, a request", value: (i) => i.b, cell: (i) => known(i.b) ? ratio(i.b) : "none" },
    { title: "Difference", value: (i) => Math.abs(i.delta), cell: (i) => [shown("count", i.delta, true), h("small", null, i.work_name)] },
  ]);
  table.show(changed);
  return table.node;
}

/* Both sides' clocks one over the other, in cycles. */
function waitsOfBoth(pair) {
  const sides = [pair.a, pair.b];
  if (!sides.every((side) => side.launch.time)) return null;
  return section("Where the cycles go", "bars as long as the cycles", h("div", { class: "both" },
    sides.map((side, s) => {
      const [bar, legend] = waits(side.launch);
      const longest = Math.max(...sides.map((one) => one.launch.time.cycles));
      bar.style.width = `${100 * side.launch.time.cycles / longest}%`;
      return [h("h3", null, `${"AB"[s]}  ${count(side.launch.time.cycles)} cycles`), bar, legend];
    })));
}

function sideLine(side, letter, index) {
  return h("p", { class: "side" }, h("b", null, letter), h("a", { href: `#${index}${letter.toLowerCase()}` }, brief(side.launch.kernel)),
    h("span", null, side.trace), h("span", null, side.gpu.name), h("span", null, `launch ${side.launch.n}`),
    h("span", null, `grid ${sizes(side.launch.grid)}`), h("span", null, `block ${sizes(side.launch.block)}`), h("span", null, `${side.launch.start} L2`));
}

function pairPage(pair, index) {
  const faster = known(pair.speedup) && pair.speedup >= 1;
  return [
    h("h1", null, "A and B"),
    sideLine(pair.a, "A", index), sideLine(pair.b, "B", index),
    h("section", { class: faster ? "verdict fine" : "verdict" },
      known(pair.speedup) ? h("p", { class: "kind" }, `${(faster ? pair.speedup : 1 / pair.speedup).toFixed(2)}\u00d7 ${faster ? "faster" : "slower"}`) : null,
      h("p", { class: "what" }, pair.what),
      labelled(pair.notes.map((note) => ["Note", note]))),
    waitsOfBoth(pair),
    section("Quantities", null, quantityTable(pair)),
    section("Changed instructions", null, changedTable(pair)),
    section("Memory of A", null, picture(pair.a.launch, pair.a.gpu)),
    section("Memory of B", null, picture(pair.b.launch, pair.b.gpu))];
}

function pairList(pairs) {
  const cycles = (pair, s) => metric(pair[s].launch, "cycles");
  const table = sortable([
    { title: "Kernel of A", left: true, kind: "name", value: (p) => p.a.launch.kernel, cell: (p) => h("a", { href: `#${pairs.indexOf(p)}` }, brief(p.a.launch.kernel)) },
    { title: "Kernel of B", left: true, kind: "name", minor: true, value: (p) => p.b.launch.kernel, cell: (p) => brief(p.b.launch.kernel) },
    { title: "Cycles of A", value: (p) => cycles(p, "a"), cell: (p) => count(cycles(p, "a")) },
    { title: "Cycles of B", value: (p) => cycles(p, "b"), cell: (p) => count(cycles(p, "b")) },
    { title: "Speed-up", value: (p) => p.speedup, cell: (p) => known(p.speedup) ? h("span", { class: p.speedup >= 1 ? "good" : "bad" }, `${ratio(p.speedup)}\u00d7`) : NONE },
  ]);
  table.show(pairs);
  return [h("h1", null, "Comparison"), h("p", { class: "sub" }, h("span", null, `${count(pairs.length)} pairs`)), section("Pairs", null, table.node)];
}

/* -------------------------------------------------------------------------------------- sweep */

function sweepChart() {
  const varying = data.columns.filter((column) => column.varies).map((column) => column.name);
  const values = varying.map((_, i) => [...new Set(data.rows.map((row) => row.at[i]))]);
  /* The axis is what has most values; all other combinations are lines. */
  const axis = values.reduce((best, list, i) => list.length > values[best].length ? i : best, 0);
  const labels = values[axis] || [];
  const nameOf = (row) => [...row.at.filter((_, i) => i !== axis).map((v, i) => `${varying.filter((_, k) => k !== axis)[i]} ${v}`),
    data.launches ? `launch ${row.launch} ${brief(row.kernel)}` : ""].filter(Boolean).join(", ");
  const holder = h("div");
  const choice = h("select", { id: "metric", "aria-label": "Metric", onchange: draw },
    data.shown.map((m, i) => h("option", { value: i }, data.metrics[m].meaning)));
  const cycles = data.shown.indexOf(byName.get("cycles"));

  function draw() {
    const k = Number(choice.value), lines = new Map();
    for (const row of data.rows) {
      const name = nameOf(row);
      if (!lines.has(name)) lines.set(name, labels.map(() => undefined));
      const value = row.m[k];
      lines.get(name)[labels.indexOf(row.at[axis])] = value === null ? undefined : value;
    }
    const all = [...lines].map(([name, at]) => ({ name, at }));
    holder.replaceChildren(lineChart(varying[axis], labels, all.slice(0, 8), data.metrics[data.shown[k]].unit),
      all.length > 8 ? h("p", { class: "note" }, `The first 8 of ${all.length} lines; the table has all.`) : "");
  }
  if (cycles >= 0) choice.value = cycles;
  if (!labels.length || !data.shown.length) return null;
  draw();
  return section("Curves", null, h("div", { class: "filters" }, choice), holder);
}

function sweepPage() {
  const varying = data.columns.filter((column) => column.varies), fixed = data.columns.filter((column) => !column.varies);
  const table = sortable([
    ...varying.map((column, i) => ({
      title: column.name, left: true, cell: (row) => row.at[i],
      value: (row) => known(axisNumber(row.at[i])) ? axisNumber(row.at[i]) : row.at[i],
    })),
    ...(data.launches ? [
      { title: "launch", value: (row) => row.launch, cell: (row) => row.launch },
      { title: "kernel", left: true, kind: "name", value: (row) => row.kernel, cell: (row) => brief(row.kernel) }] : []),
    ...data.shown.map((m, i) => ({
      title: data.metrics[m].key || data.metrics[m].name, hint: `${data.metrics[m].name}: ${data.metrics[m].meaning}`,
      value: (row) => row.m[i], cell: (row) => shown(data.metrics[m].unit, row.m[i] === null ? undefined : row.m[i]),
    }))]);
  table.show(data.rows);
  return [
    h("h1", null, varying.length ? `Sweep over ${varying.map((column) => column.name).join(", ")}` : "Sweep"),
    h("p", { class: "sub" }, h("span", null, `${count(data.count)} points`),
      fixed.map((column) => h("span", null, `${column.name} ${column.value}`))),
    data.what ? h("section", { class: "verdict fine" }, h("p", { class: "what" }, data.what)) : null,
    sweepChart(),
    section("Points", null, table.node)];
}

/* ------------------------------------------------------------------------------------- advice */

/* The largest saving, in percent of the cycles; of nothing 0. */
const bestOf = (of) => (of.changes || []).reduce((best, change) => change.saved_cycles > best.saved_cycles ? change : best,
  { saved_cycles: 0, saved_pct: 0 });

function advicePage() {
  const changes = sortable([
    { title: "What if", left: true, value: (c) => data.words[c.change], cell: (c) => data.words[c.change] },
    { title: "Kind", left: true, minor: true, value: (c) => c.kind, cell: (c) => c.kind, hint: "an ideal is a bound, a fix can be written" },
    { title: "Cycles", value: (c) => c.cycles, cell: (c) => count(c.cycles) },
    { title: "Saved", value: (c) => c.saved_cycles, cell: (c) => count(c.saved_cycles) },
    { title: "", value: (c) => c.saved_pct, cell: (c) => [meter(Math.max(c.saved_pct, 0), ""), h("small", null, percent(c.saved_pct))] },
    { title: "Speed-up", value: (c) => c.speedup, cell: (c) => `${ratio(c.speedup)}\u00d7` }]);
  const launches = sortable([
    { title: "Launch", value: (l) => l.n, cell: (l) => l.n },
    { title: "Kernel", left: true, kind: "name", value: (l) => l.kernel, cell: (l) => brief(l.kernel) },
    { title: "Cycles", value: (l) => l.cycles, cell: (l) => known(l.cycles) ? count(l.cycles) : NONE },
    { title: "Most by", left: true, value: (l) => data.words[bestOf(l).change] || "", cell: (l) => data.words[bestOf(l).change] || NONE },
    { title: "Saved", value: (l) => bestOf(l).saved_cycles, cell: (l) => count(bestOf(l).saved_cycles) }], [4, true]);
  changes.show(data.changes);
  launches.show(data.launches);
  const one = data.launches.length === 1;
  return [
    h("h1", null, one ? brief(data.launches[0].kernel) : "What would it be worth?"),
    h("p", { class: "sub" }, one ? null : h("span", null, `${count(data.launches.length)} launches`),
      h("span", null, `${count(data.cycles)} cycles as it is`)),
    data.untimed ? h("p", { class: "note" }, `${count(data.untimed)} launches cannot be timed: the capture could not see all of their memory traffic.`) : null,
    section("Changes", "each a replay of its own", changes.node),
    data.absent.length ? h("p", { class: "note" }, `Not here: ${data.absent.join(", ")}.`) : null,
    one ? null : section("Launches", null, launches.node)];
}
