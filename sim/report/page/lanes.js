/* SPDX-License-Identifier: MIT
 *
 * lanes.js - the lane map: the 32 lanes of one request above, and below what they touch: banks of
 * shared memory with the words of each, or the 32-byte sectors of every 128-byte line.
 */

const LANES = 32;

/* Sectors touched, by line: [{line, touched: [lanes of each sector]}]. */
function touchedLines(worst) {
  const lines = new Map();
  worst.at.forEach((at, lane) => {
    if (!known(at)) return;
    for (let sector = Math.floor(at / 32); sector <= Math.floor((at + worst.size - 1) / 32); sector++) {
      const line = Math.floor(sector / 4);
      if (!lines.has(line)) lines.set(line, [[], [], [], []]);
      lines.get(line)[sector % 4].push(lane);
    }
  });
  return [...lines].sort((a, b) => a[0] - b[0]).map(([line, touched]) => ({ line, touched }));
}

function laneMap(worst) {
  const shared = known(worst.words), W = 640, cell = W / LANES, top = 18, row = 18, low = 112;
  const lane = (i) => (i + 0.5) * cell;
  const links = [], cells = [];
  const link = (from, to, crowd) => links.push(svg("path", {
    d: `M${from} ${top + row} C${from} ${top + row + 40} ${to} ${low - 40} ${to} ${low}`,
    class: crowd > 1 ? "link crowded" : "link",
  }));

  if (shared) {
    const most = Math.max(...worst.words);
    worst.at.forEach((bank, i) => known(bank) && link(lane(i), lane(bank), worst.words[bank]));
    worst.words.forEach((n, bank) => cells.push(
      svg("rect", {
        x: bank * cell + 1, y: low, width: cell - 2, height: row, rx: 3,
        class: n === 0 ? "cell" : n === 1 ? "cell one" : n === most ? "cell worst" : "cell many",
      }, svg("title", null, `bank ${bank}: ${n} word${n === 1 ? "" : "s"}`)),
      n > 1 ? svg("text", { x: lane(bank), y: low + 13, class: "in" }, n) : null));
  } else {
    const lines = touchedLines(worst), shownLines = lines.slice(0, 64);
    const wide = Math.min(cell * 4, W / shownLines.length), quarter = (wide - 3) / 4;
    const left = (W - wide * shownLines.length) / 2;
    shownLines.forEach((entry, i) => entry.touched.forEach((lanes, sector) => {
      const x = left + i * wide + 1.5 + sector * quarter;
      lanes.forEach((from) => link(lane(from), x + quarter / 2, 1));
      cells.push(svg("rect", {
        x, y: low, width: Math.max(quarter - 0.6, 0.6), height: row,
        class: lanes.length ? "cell one" : "cell",
      }, svg("title", null, `line ${entry.line}, sector ${sector}: ${lanes.length} lanes`)));
    }));
  }
  const caption = shared
    ? "lanes above, the 32 banks below with the different words asked of each"
    : "lanes above, below the 32-byte sectors of each 128-byte line that is touched";
  return h("figure", { class: "lanes" },
    svg("svg", { viewBox: `0 0 ${W} ${low + row + 18}`, role: "img", "aria-label": caption },
      worst.at.map((at, i) => svg("rect", {
        x: i * cell + 1, y: top, width: cell - 2, height: row, rx: 3,
        class: known(at) ? "lane" : "lane off",
      }, svg("title", null, known(at)
        ? `lane ${i}: ${shared ? `bank ${at}` : `byte ${whole(at)} from the first line`}`
        : `lane ${i}: not active`))),
      links, cells,
      [0, 8, 16, 24, 31].map((i) => [
        svg("text", { x: lane(i), y: top - 5, class: "tick" }, i),
        shared ? svg("text", { x: lane(i), y: low + row + 14, class: "tick" }, i) : null])),
    h("figcaption", null, `CTA (${worst.cta.join(", ")}), warp ${worst.warp}: `, caption));
}

/* Shared requests by wavefronts a request. */
function degreeChart(degrees, wider) {
  const all = degrees.reduce((a, b) => a + b, 0);
  return h("div", { class: "bars" }, degrees.map((n, degree) => n === 0 ? null
    : h("div", null,
      h("span", { class: "label" }, `${degree}${degree === 32 && wider ? "+" : ""} wavefront${degree === 1 ? "" : "s"}`),
      meter(100 * n / all, degree === 1 ? "good" : "bad"),
      h("span", { class: "value" }, count(n)))));
}
