/* SPDX-License-Identifier: MIT
 *
 * list.js - many launches: the program's verdict, its kernels, and a list that sorts and filters,
 * each line the way to a launch's page.
 */

/* The launches in order, as wide as they take time; a kernel a colour, the first ones by clocks. */
function strip(launches, kernels) {
  const rank = new Map(kernels.map((kernel, i) => [kernel.number, i]));
  const W = 1000, all = launches.reduce((sum, l) => sum + l.clocks, 0) || 1;
  let x = 0;
  return h("figure", { class: "strip" }, svg("svg", {
    viewBox: `0 0 ${W} 34`, preserveAspectRatio: "none", role: "img", "aria-label": "launches over time",
  }, launches.map((launch) => {
    const width = W * launch.clocks / all, at = x, k = rank.get(launch.of);
    x += width;
    return svg("a", { href: `#${launch.n}` }, svg("rect", {
      x: at, y: 0, width: Math.max(width - (width > 3 ? 0.8 : 0), 0.2), height: 34, class: `series s${k < 7 ? k : 7}`,
    }, svg("title", null, `${launch.n}: ${brief(launch.kernel)}, ${count(launch.clocks)} cycles`)));
  })), h("ul", { class: "legend" }, kernels.slice(0, 7).map((kernel, i) =>
    h("li", null, h("i", { class: `series s${i}` }), brief(kernel.name), h("b", null, known(kernel.share) ? percent(kernel.share) : ""))),
  kernels.length > 7 ? h("li", null, h("i", { class: "series s7" }), `${kernels.length - 7} more`) : null));
}

const moved = (of, level) => {
  const read = metric(of, `${level}.read`), written = metric(of, `${level}.written`);
  return known(read) && known(written) ? read + written : undefined;
};

const bytesColumn = (title, level) => ({
  title, minor: level === "l2", value: (of) => moved(of, level), cell: (of) => known(moved(of, level)) ? bytes(moved(of, level)) : NONE,
});

function kernelTable(program) {
  const table = sortable([
    { title: "Kernel", left: true, kind: "name", value: (k) => k.name, cell: (k) => h("a", { href: `#${k.longest}`, title: k.name }, brief(k.name)) },
    { title: "Launches", value: (k) => k.launches, cell: (k) => count(k.launches) },
    { title: program.timed ? "Cycles" : "Least cycles", value: (k) => k.clocks, cell: (k) => count(k.clocks) },
    { title: "Share", value: (k) => k.share, cell: (k) => known(k.share) ? [percent(k.share), meter(k.share)] : NONE },
    bytesColumn("DRAM", "dram"), bytesColumn("L2", "l2"),
    { title: "Bound", left: true, minor: true, value: (k) => k.bound, cell: (k) => k.bound },
    { title: "Finding", left: true, value: (k) => k.finding, cell: (k) => words(k.finding) },
  ], [2, true]);
  table.show(program.kernels);
  return table.node;
}

function launchTable(launches, program) {
  const most = Math.max(...launches.map((l) => l.clocks), 1);
  const table = sortable([
    { title: "#", hint: "number in the trace", value: (l) => l.n, cell: (l) => h("a", { href: `#${l.n}` }, l.n) },
    { title: "Kernel", left: true, kind: "name", value: (l) => l.kernel, cell: (l) => h("a", { href: `#${l.n}`, title: l.kernel }, brief(l.kernel)) },
    { title: "Grid", left: true, minor: true, value: (l) => l.grid[0] * l.grid[1] * l.grid[2], cell: (l) => sizes(l.grid) },
    { title: program.timed ? "Cycles" : "Least cycles", value: (l) => l.clocks, cell: (l) => [count(l.clocks), meter(100 * l.clocks / most)] },
    ...(launches.some((l) => measuredOf(l, "cycles")) ? [
      { title: "Measured", minor: true, value: (l) => (measuredOf(l, "cycles") || [])[1], cell: (l) => measuredOf(l, "cycles") ? count(measuredOf(l, "cycles")[1]) : NONE },
      { title: "Off by", value: (l) => Math.abs((measuredOf(l, "cycles") || [])[2]), cell: (l) => measuredOf(l, "cycles") ? off(measuredOf(l, "cycles")) : NONE }] : []),
    bytesColumn("DRAM", "dram"), bytesColumn("L2", "l2"),
    { title: "L2 was", left: true, minor: true, value: (l) => l.start, cell: (l) => l.start },
    { title: "Finding", left: true, value: (l) => l.findings[0].kind, cell: (l) => words(l.findings[0].kind) },
  ], data.by === "launches" ? [0, false] : [3, true]);
  const kinds = [...new Set(launches.map((l) => l.findings[0].kind))].sort();
  const counted = h("span", { class: "counted", role: "status" });
  const find = h("input", { type: "search", id: "find", placeholder: "Filter by kernel", "aria-label": "Filter by kernel", oninput: draw });
  const kind = h("select", { id: "kind", "aria-label": "Filter by finding", onchange: draw },
    h("option", { value: "" }, "every finding"), kinds.map((name) => h("option", { value: name }, words(name))));

  function draw() {
    const text = find.value.toLowerCase();
    const list = launches.filter((l) => l.kernel.toLowerCase().includes(text) && (!kind.value || l.findings[0].kind === kind.value));
    counted.textContent = list.length < launches.length ? `${whole(list.length)} of ${whole(launches.length)}` : "";
    table.show(list);
  }
  draw();
  return [h("div", { class: "filters" }, find, kind, counted), table.node];
}

function listPage(launches, program) {
  return [
    h("h1", { class: "trace" }, data.trace.replace(/^.*\//, "")),
    h("p", { class: "sub" },
      h("span", null, launches.length < data.launch_count
        ? `${count(launches.length)} of ${count(data.launch_count)} launches` : `${count(launches.length)} launches`),
      h("span", null, `${count(program.kernels.length)} kernel${program.kernels.length === 1 ? "" : "s"}`)),
    program.what || program.unknown ? h("section", { class: "verdict" },
      h("p", { class: "kind" }, words(launches.find((l) => l.n === program.longest).findings[0].kind)),
      program.what ? h("p", { class: "what" }, program.what) : null,
      labelled([["Fix", program.fix], ["Sampled", program.sampled], ["Unknown", program.unknown]])) : null,
    tiles(program, tile(program.timed ? "Cycles" : "Least cycles", count(program.clocks), program.timed ? "without what lies between launches" : "")),
    section("Launches in order", "as wide as the time they take", strip(launches, program.kernels)),
    section("Kernels", null, kernelTable(program)),
    section("Launches", "a page each", launchTable(launches, program))];
}
