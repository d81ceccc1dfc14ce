/* SPDX-License-Identifier: MIT
 *
 * picture.js - the memory picture: SMs, shared memory, L1, the sides of L2 and DRAM, with what
 * moved between them, what hit, and what share of each level's peak that was. Drawn twice, across
 * for wide screens and paper, downwards for phones; the style shows one of them.
 */

/* What the picture says, from the lines of the memory pipe. */
function flows(launch, gpu) {
  const pipe = launch.pipe, l2 = launch.l2;
  const sum = (test, key) => {
    const lines = pipe.filter((line) => test(line) && known(line[key]));
    return lines.length ? lines.reduce((total, line) => total + line[key], 0) : undefined;
  };
  const is = (unit, write) => (line) => line.unit === unit &&
    (/store|stmatrix|red$/.test(line.access) || (unit === "shared" && line.access === "cp.async")) === write;
  const into = (unit, name) => pipe.find((line) => line.unit === unit && line.access === name) || {};
  const requests = (unit, write) => {
    const n = sum(is(unit, write), "requests");
    return known(n) ? `${count(n)} req.` : "";
  };
  const arrow = (amount, note) => ({ amount, note });
  return {
    shared: {
      in: arrow(sum(is("shared", true), "bytes"), requests("shared", true)),
      out: arrow(sum(is("shared", false), "bytes"), requests("shared", false)),
      level: "shared",
      wavefronts: sum((line) => line.unit === "shared", "work"),
      bulk: sum((line) => line.unit === "TMA", "bytes"),
    },
    l1: {
      in: arrow(sum(is("L1", true), "bytes"), requests("L1", true)),
      out: arrow(sum(is("L1", false), "bytes"), requests("L1", false)),
      level: "l1",
    },
    l2: {
      in: arrow(into("L2", "write").bytes, ""), out: arrow(into("L2", "read").bytes, ""),
      atomic: into("L2", "atomic").bytes, level: "l2", hit: into("L2", "read").hit,
    },
    far: gpu.sides > 1 && l2 ? {
      in: arrow(l2.far_write || undefined, ""), out: arrow(l2.far_read || undefined, ""),
      hit: l2.far_hit,
    } : null,
    dram: {
      in: arrow(into("DRAM", "write").bytes, ""), out: arrow(into("DRAM", "read").bytes, ""),
      level: "dram",
    },
    dirty: l2 ? l2.dirty : 0,
  };
}

function picture(launch, gpu) {
  const flow = flows(launch, gpu);
  const amounts = [flow.shared, flow.l1, flow.l2, flow.dram, flow.far]
    .flatMap((part) => part ? [part.in.amount || 0, part.out.amount || 0] : []);
  const most = Math.max(1, ...amounts);
  const width = (amount) => amount > 0 ? 2 + 7 * Math.sqrt(amount / most) : 1;
  const text = (x, y, words, kind, anchor) =>
    svg("text", { x, y, class: kind, "text-anchor": anchor || "middle" }, words);

  function box(x, y, w, high, kind, title, lines, hit) {
    const middle = x + w / 2, first = y + high / 2 - (lines.length * 17 + (known(hit) ? 14 : 0)) / 2;
    return svg("g", { class: `box ${kind}` },
      svg("rect", { x, y, width: w, height: high, rx: 10 }),
      text(middle, first + 4, title, "name"),
      lines.map((line, i) => text(middle, first + 22 + 17 * i, line, "fact")),
      known(hit) ? [
        svg("rect", { x: x + 16, y: first + 14 + 17 * lines.length, width: w - 32, height: 6, rx: 3, class: "rail" }),
        svg("rect", {
          x: x + 16, y: first + 14 + 17 * lines.length, height: 6, rx: 3,
          width: (w - 32) * hit / 100, class: "hit",
        })] : null);
  }
  /* An arrow with its bytes; along: "x" or "y"; place: where its words stand. */
  function arrow(x1, y1, x2, y2, of, kind, place) {
    const thick = width(of.amount), head = 5 + thick * 0.9, idle = !(of.amount > 0);
    const length = Math.hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    const bx = x2 - ux * head, by = y2 - uy * head, wide = thick / 2 + 3.5;
    const words = known(of.amount) ? bytes(of.amount) : NONE;
    return svg("g", { class: `flow ${kind}${idle ? " idle" : ""}` },
      svg("line", { x1, y1, x2: bx, y2: by, "stroke-width": thick }),
      svg("polygon", {
        points: `${x2},${y2} ${bx - uy * wide},${by + ux * wide} ${bx + uy * wide},${by - ux * wide}`,
      }),
      text(place[0], place[1], words, "amount", place[2]),
      of.note && text(place[0], place[1] + 14, of.note, "note", place[2]));
  }
  /* What flowed a second at a level, and the share of its peak. */
  function peak(x, y, level, anchor) {
    const share = metric(launch, `${level}.peak`), rate = metric(launch, `${level}.rate`);
    if (!known(share) || !rate) return null;
    return [
      known(rate) ? text(x, y, shown("rate", rate), "note", anchor) : null,
      text(x, y + 15, `${percent(share)} of peak`, share >= 60 ? "peak hot" : "peak", anchor)];
  }
  const instructions = metric(launch, "instructions");
  const facts = {
    sm: [`${count(gpu.sms)} SMs`, known(instructions) ? `${count(instructions)} accesses` : ""],
    shared: known(flow.shared.wavefronts)
      ? [`${count(flow.shared.wavefronts)} wavefronts`,
        `${ratio(metric(launch, "shared.per_request"))} a request`] : flow.shared.bulk ? [] : ["not used"],
    l1: known(metric(launch, "l1.hit_rate"))
      ? [`hit ${percent(metric(launch, "l1.hit_rate"))}`] : ["nothing looked up"],
    near: [known(flow.l2.hit) ? `reads hit ${percent(flow.l2.hit)}` : "no reads"],
    far: [flow.far && known(flow.far.hit) ? `reads hit ${percent(flow.far.hit)}` : "no reads"],
    dram: flow.dirty > 0 ? [`${bytes(flow.dirty)} stay`, "in L2 at the end"] : [],
  };
  if (flow.shared.bulk) facts.shared.push(`bulk copies ${bytes(flow.shared.bulk)}`);
  const atomics = flow.l2.atomic > 0 ? `atomics ${bytes(flow.l2.atomic)}` : "";
  const told = `Bytes between SMs, shared memory, L1, L2 and DRAM of ${launch.kernel}`;

  function across() {
    const far = flow.far;
    return svg("svg", { class: "picture across", viewBox: "0 0 1080 372", role: "img", "aria-label": told },
      box(1, 16, 128, 314, "sm", "SM", facts.sm),
      box(300, 16, 180, 118, "shared", "Shared memory", facts.shared),
      box(300, 212, 180, 118, "l1", "L1", facts.l1, metric(launch, "l1.hit_rate")),
      arrow(300, 58, 133, 58, flow.shared.out, "read", [214, 32]),
      arrow(133, 94, 300, 94, flow.shared.in, "write", [214, 116]),
      peak(214, 154, "shared"),
      arrow(300, 254, 133, 254, flow.l1.out, "read", [214, 228]),
      arrow(133, 290, 300, 290, flow.l1.in, "write", [214, 312]),
      peak(214, 350 - 4, "l1"),
      svg("rect", { x: 636, y: far ? 84 : 190, width: 200, height: far ? 280 : 162, rx: 12, class: "frame" }),
      far ? text(736, 106, "L2", "name") : null,
      far ? box(650, 232, 172, 118, "l2", "near side", facts.near, flow.l2.hit)
        : box(650, 212, 172, 118, "l2", "L2", facts.near, flow.l2.hit),
      far ? [box(650, 118, 172, 70, "l2", "far side", facts.far),
        arrow(724, 190, 724, 230, far.out, "read", [714, 214, "end"]),
        arrow(748, 230, 748, 190, far.in, "write", [758, 214, "start"])] : null,
      arrow(650, 258, 484, 258, flow.l2.out, "read", [565, 242]),
      arrow(484, 296, 650, 296, flow.l2.in, "write", [565, 318]),
      atomics ? text(560, 212, atomics, "note") : null,
      peak(560, 350 - 4, "l2"),
      box(960, 232, 119, 118, "dram", "DRAM", facts.dram),
      arrow(960, 262, 826, 262, flow.dram.out, "read", [896, 244]),
      arrow(826, 296, 960, 296, flow.dram.in, "write", [896, 318]),
      peak(896, 350 - 4, "dram"));
  }
  function down() {
    const far = flow.far, bare = (of) => ({ amount: of.amount });
    const share = (level) => metric(launch, `${level}.peak`) > 0 ? [`${metricShown(launch, `${level}.peak`)} of peak`] : [];
    return svg("svg", { class: "picture down", viewBox: "0 0 340 680", role: "img", "aria-label": told },
      box(1, 1, 338, 62, "sm", "SM", [facts.sm.filter(Boolean).join(", ")]),
      arrow(70, 122, 70, 66, bare(flow.shared.out), "read", [60, 98, "end"]),
      arrow(96, 66, 96, 122, bare(flow.shared.in), "write", [106, 98, "start"]),
      arrow(244, 122, 244, 66, bare(flow.l1.out), "read", [234, 98, "end"]),
      arrow(270, 66, 270, 122, bare(flow.l1.in), "write", [280, 98, "start"]),
      box(1, 126, 164, 102, "shared", "Shared memory", [...facts.shared, ...share("shared")]),
      box(175, 126, 164, 102, "l1", "L1", [...facts.l1, ...share("l1")], metric(launch, "l1.hit_rate")),
      arrow(244, 344, 244, 232, flow.l2.out, "read", [234, 292, "end"]),
      arrow(270, 232, 270, 344, flow.l2.in, "write", [280, 292, "start"]),
      atomics ? text(234, 316, atomics, "note", "end") : null,
      peak(82, 284, "l2"),
      svg("rect", { x: 1, y: 348, width: 338, height: 136, rx: 12, class: "frame" }),
      far ? text(170, 368, "L2", "name") : null,
      far ? [box(12, 378, 120, 96, "l2", "far side", facts.far),
        box(208, 378, 122, 96, "l2", "near side", facts.near, flow.l2.hit),
        arrow(136, 412, 204, 412, far.out, "read", [170, 400]),
        arrow(204, 444, 136, 444, far.in, "write", [170, 466])]
        : box(88, 362, 164, 108, "l2", "L2", facts.near, flow.l2.hit),
      arrow(244, 592, 244, 488, flow.dram.out, "read", [234, 544, "end"]),
      arrow(270, 488, 270, 592, flow.dram.in, "write", [280, 544, "start"]),
      peak(82, 536, "dram"),
      box(1, 596, 338, 82, "dram", "DRAM", facts.dram.length ? [facts.dram.join(" ")] : []));
  }
  return [across(), down()];
}
