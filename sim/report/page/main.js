/* SPDX-License-Identifier: MIT
 *
 * main.js - which page is shown, by the address behind '#': nothing is the list, or the only launch
 * there is; "7" launch 7; of comparisons "0" the first pair, "0a" and "0b" its launches.
 */

const page = document.getElementById("page");

function header() {
  return h("header", null, h("a", { class: "brand", href: "#" }, "gmsim"),
    data.trace ? h("span", null, data.trace) : null,
    data.gpu ? h("span", null, data.gpu.title || data.gpu.name) : null,
    data.captured ? h("span", null, `captured on ${data.captured}`) : null);
}

function footer() {
  return h("footer", null, data.model ? h("p", null, h("b", null, "Model"), data.model) : null,
    h("p", null, `gmsim ${data.version}`));
}

/* Links to the pages before and after, and to the list. */
function crumbs(before, after, list) {
  return h("nav", { class: "crumbs" }, h("a", { href: "#" }, `\u2190 ${list}`),
    h("span", null, before ? h("a", { href: `#${before}`, rel: "prev" }, "previous") : null,
      after ? h("a", { href: `#${after}`, rel: "next" }, "next") : null));
}

function reportView(address) {
  const launches = data.launches;
  const at = launches.length === 1 ? 0 : launches.findIndex((launch) => String(launch.n) === address);
  if (!launches.length) return [h("h1", null, "No launch could be reported.")];
  if (at < 0) return listPage(launches, data.program);
  const neighbour = (i) => launches[i] ? String(launches[i].n) : "";
  return [launches.length > 1 ? crumbs(neighbour(at - 1), neighbour(at + 1), "all launches") : null,
    launchPage(launches[at], data.gpu, data.launch_count > 1 ? `launch ${launches[at].n} of ${data.launch_count}, from 0` : "")];
}

function compareView(address) {
  const found = /^(\d+)([ab]?)$/.exec(address) || (data.pairs.length === 1 ? ["", "0", ""] : null);
  const pair = found && data.pairs[found[1]];
  if (!pair) return pairList(data.pairs);
  if (found[2]) {
    const side = pair[found[2]];
    return [h("nav", { class: "crumbs" }, h("a", { href: `#${found[1]}` }, "\u2190 the comparison")),
      launchPage(side.launch, side.gpu, `${found[2].toUpperCase()}: ${side.trace}`)];
  }
  return [data.pairs.length > 1 ? crumbs("", "", "all pairs") : null, pairPage(pair, found[1])];
}

function show() {
  const address = decodeURIComponent(location.hash.slice(1));
  const view = data.kind === "report" ? reportView(address) : data.kind === "compare" ? compareView(address)
    : data.kind === "advise" ? advicePage() : sweepPage();
  page.replaceChildren(header(), h("main", null, data.complete ? null
    : h("p", { class: "note incomplete" }, "Incomplete: not every launch that was asked for could be reported."),
  view.flat(Infinity).filter(Boolean)), footer());
  window.scrollTo(0, 0);
}

/* The launch itself is what the page's other parts know of it. */
if (data.kind === "report")
  data.launches = data.launches.map((entry) => Object.assign(resolve(entry.launch), { of: entry.of }));
else if (data.kind === "compare")
  for (const pair of data.pairs) for (const side of [pair.a, pair.b]) resolve(side.launch);

/* On paper everything stands open. */
window.addEventListener("beforeprint", () => {
  for (const button of document.querySelectorAll(".more button")) button.click();
  for (const details of document.querySelectorAll("details")) {
    if (details.draw) details.draw();
    if (!details.classList.contains("metrics")) details.open = true;
  }
});
window.addEventListener("hashchange", show);
show();
