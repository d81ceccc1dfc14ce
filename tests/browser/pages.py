# SPDX-License-Identifier: MIT
"""HTML reports in a real browser: pages.py GMSIM MAKE_TRACES SRCDIR FOLDER. Speaks TAP."""
import json
import os
import subprocess
import sys

import chrome

gmsim, make_traces, source, folder = map(os.path.abspath, sys.argv[1:5])
os.chdir(folder)
tests = failed = 0


def check(name, holds, why=""):
    global tests, failed
    tests += 1
    failed += not holds
    print("%s %d - %s" % ("ok" if holds else "not ok", tests, name), flush=True)
    if not holds and why != "":
        print("# %s" % str(why).replace("\n", " ")[:500], flush=True)


def gm(*arguments):
    return subprocess.run([gmsim, *arguments], check=True, capture_output=True, text=True).stdout


sample = source + "/traces/samples/"
# What would run, or break out, or turn the text around, were it not text.
HOSTILE = ('</script><script>window.taken=1</script><img src=x onerror="window.taken=1">'
           '\'"&amp;\n\u202eeman\u2066<!--')
subprocess.run([make_traces, ".", HOSTILE, "/no/<b>.cu", "LDS</script>"], check=True)
subprocess.run([make_traces, ".", "500"], check=True)
os.rename("named.trc", "<i>'\".trc")
pages = {
    "launch": (sample + "transpose_nopad.trc", "--source", source + "/kernels"),
    "program": (source + "/tests/data/poisson.trc",),
    "measured": (sample + "sgemm_cublas.trc", "--measured",
                 source + "/validate/measured/h200/samples.csv"),
    "counts alone": (sample + "vadd_stride32.trc", "--functional"),
    "hostile": ("<i>'\".trc",),
    "many": ("application.trc",),
    "pair": ("compare", sample + "transpose_nopad.trc", sample + "transpose_pad.trc"),
    "gpus": ("compare", source + "/tests/data/poisson.trc", "--gpu2", "a100"),
    "advice": ("advise", sample + "transpose_nopad.trc", "--only", "pad,free-launch,coalesced"),
    "hostile advice": ("advise", "<i>'\".trc", "--only", "free-launch,float4"),
    "advised": ("advise", source + "/tests/data/poisson.trc", "--only", "free-launch"),
    "sweep": ("sweep", "--synthetic", "banks:stride={1..32*2}"),
    "grid": ("sweep", "--synthetic", "stride:n=64K,stride={4,32,128}", "--gpu", "h200,a100",
             "--set", "l2.size=20M,40M"),
}
for name, arguments in pages.items():
    gm(*arguments, "-o", name + ".html")
browser = chrome.Chrome(chrome.find())


def text(selector):
    return browser.run("[...document.querySelectorAll(%s)].map(e => e.innerText)"
                       % json.dumps(selector))


def all_pages():
    """Every page at both widths, light and dark."""
    for name in pages:
        quiet = fits = alone = drawn = True
        for width in (360, 1440):
            for dark in (False, True):
                browser.screen(width, dark=dark)
                browser.open(name + ".html")
                wide = browser.run("Math.max(document.documentElement.scrollWidth, "
                                   "document.body.scrollWidth)")
                quiet = quiet and not browser.said
                fits = fits and wide <= width
                alone = alone and len(browser.requests) == 1
                drawn = drawn and browser.run("document.querySelectorAll('main h1').length") == 1
        check("%s: draws" % name, drawn)
        check("%s: says nothing on the console" % name, quiet, browser.said)
        check("%s: asks for nothing but itself" % name, alone, browser.requests)
        check("%s: is no wider than 360 and 1440 pixels" % name, fits)


def launch():
    report = json.loads(gm(*pages["launch"], "--format", "json"))["launches"][0]
    browser.screen(1440)
    browser.open("launch.html")
    cycles = format(report["gmsim"]["cycles"], ",")
    check("cycles are those of the JSON report", text(".tile b")[0] == cycles, text(".tile b"))
    told = dict(zip(browser.run("data.metrics.map(m => m.name)"),
                    browser.run("data.launches[0].m")))
    asked = {**report["metrics"], **report["gmsim"]["metrics"]}
    wrong = [name for name, value in asked.items()
             if value is None or abs(told[name] - value) > 1e-6 * abs(value)]
    check("all %d metrics are those of the JSON report" % len(asked),
          len(asked) > 60 and not wrong, wrong)
    check("the verdict is that of the JSON report",
          text(".verdict .what") == [report["gmsim"]["findings"][0]["text"]])
    shown = "[...document.querySelectorAll('.picture')].map(p => p.getBoundingClientRect().width > 0)"
    check("the memory picture lies across a wide screen", browser.run(shown) == [True, False])
    amounts = browser.run("[...document.querySelectorAll('.across .amount')].map(e => e.textContent)")
    check("... with bytes on its arrows", "4.0 MiB" in amounts and len(amounts) == 10, amounts)
    check("three curves have the launch's point",
          browser.run("document.querySelectorAll('.chart .point').length") == 3)
    check("the worst line stands open with its lanes and source",
          browser.run("document.querySelectorAll('.line[open] .lane').length") == 32 and
          "tile[threadIdx.x][threadIdx.y]" in text(".line[open] .source")[0])
    browser.run("document.querySelectorAll('.line')[1].open = true")
    browser.run("new Promise(done => setTimeout(done, 50))")
    check("another line opens and draws",
          browser.run("document.querySelectorAll('.line')[1].querySelectorAll('.lane').length") == 32)
    browser.run("document.querySelector('.metrics').open = true; let i = "
                "document.querySelector('.metrics input'); i.value = 'dram__'; "
                "i.dispatchEvent(new Event('input'))")
    check("metrics are found by name", len(text(".metrics tbody tr")) == 2)
    browser.screen(360)
    check("the memory picture stands upright on a phone", browser.run(shown) == [False, True])
    paper = browser.paper()
    check("it prints", paper.startswith(b"%PDF") and len(paper) > 20000, len(paper))
    browser.open("counts alone.html")
    check("without timing it has no cycles, and says so",
          "Least cycles" in text("h2")[0] or any("Least cycles" in h for h in text("h2")))


def measured():
    browser.screen(1440)
    browser.open("measured.html", "#0")
    before = [row.split("\t")[3] for row in text("section:nth-of-type(4) tbody tr")]
    off = [abs(float(cell.replace("\u2212", "-").split("\u2009")[0].split(" ")[0])) for cell in before]
    check("the predictions that are farthest off come first",
          len(off) == 8 and off[0] > 0 and off == sorted(off, reverse=True), before)
    browser.run("document.querySelector('section:nth-of-type(4) .more button').click()")
    rows = {row.split()[0]: row.split("\t") for row in text("section:nth-of-type(4) tbody tr")}
    sectors = rows.get("smsp__sass_sectors_mem_global.sum", ["", "", "", ""])
    check("what was measured stands beside what is predicted",
          text("h2")[2].startswith("Predicted beside measured") and
          sectors[1:] == ["163,840", "163,840", "0.0\u2009%"], sectors)
    reads = browser.run("data.launches[0].measured.find(e => e[0] === "
                        "byName.get('lts__t_sectors_srcunit_tex_op_read.sum'))")
    value = browser.run("metric(data.launches[0], 'lts__t_sectors_srcunit_tex_op_read.sum')")
    check("... and how far it is off", abs(reads[2] - 100 * (value / reads[1] - 1)) < 1e-4, reads)
    check("... in the file that names no such launch it is an error",
          subprocess.run([gmsim, sample + "vadd_random.trc", "-f", "html", "--measured",
                          source + "/tests/ncu/good-case.csv"], capture_output=True).returncode == 2)


def arrays():
    report = json.loads(gm(*pages["launch"], "--format", "json", "--arrays"))["launches"][0]
    browser.screen(1440)
    browser.open("launch.html")
    check("arrays are those of the JSON report",
          browser.run("JSON.stringify(data.launches[0].arrays.arrays)") ==
          json.dumps(report["arrays"], separators=(",", ":")))
    check("... a line each", any(h.startswith("Arrays") for h in text("h2")))


def picture():
    done = subprocess.run([source + "/plots/page", "-o", "page.webp", *pages["launch"]], env=dict(
        os.environ, GMSIM_BUILDDIR=os.path.dirname(gmsim)), capture_output=True, check=False)
    with open("page.webp", "rb") as shot:
        check("plots/page takes a picture of a page", done.returncode == 0 and
              shot.read(12)[8:] == b"WEBP" and os.path.getsize("page.webp") > 20000, done.stderr)


def advice():
    report = json.loads(gm(*pages["advice"], "--format", "json"))
    browser.screen(1440)
    browser.open("advice.html")
    check("what changes save is what the JSON report says", [
        [cell.replace(",", "") for cell in row.split("\t")[2:4]] for row in text("tbody tr")] == [
        [str(change["cycles"]), str(change["saved_cycles"])] for change in report["changes"]],
          text("tbody tr"))
    check("... and what does not apply is told", "perfectly coalesced (" in text(".note")[0])
    browser.open("advised.html")
    check("... of many launches each has a line", len(text("tbody tr")) == 1 + 61, len(text("tbody tr")))
    browser.open("hostile advice.html")
    check("... hostile names are text", browser.run("window.taken === undefined") and
          browser.run("document.querySelectorAll('script').length") == 2)


def program():
    report = json.loads(gm(*pages["program"], "--format", "json"))
    clocks = [launch["gmsim"]["cycles"] for launch in report["launches"]]
    table = "section:last-of-type "

    def column(number):
        return [cell.split("\n")[0] for cell in text(table + "tbody td:nth-child(%d)" % number)]

    def turn(number):
        browser.run("document.querySelectorAll('%sth button')[%d].click()" % (table, number - 1))

    browser.screen(1440)
    browser.open("program.html")
    check("all launches are in the list, the longest first",
          column(4) == [format(n, ",") for n in sorted(clocks, reverse=True)])
    turn(1)
    check("a heading sorts by its column, downwards", column(1) == [str(n) for n in range(60, -1, -1)])
    turn(1)
    check("... and turns it round", column(1) == [str(n) for n in range(61)])
    turn(2)
    check("names sort by the alphabet", column(2) == sorted(column(2)) and column(2)[0] == "add_scaled")
    browser.run("let f = document.getElementById('find'); f.value = 'LAPL'; "
                "f.dispatchEvent(new Event('input'))")
    check("the list filters by kernel", set(column(2)) == {"laplace"} and len(column(2)) == 10)
    check("... and counts what is left", text(".counted") == ["10 of 61"], text(".counted"))
    browser.run("let k = document.getElementById('kind'); k.value = 'small-grid'; "
                "k.dispatchEvent(new Event('change'))")
    check("... and by finding", column(1) == ["1"])
    browser.run("document.querySelector('%std a').click()" % table)
    browser.run("new Promise(done => setTimeout(done, 100))")
    check("a line leads to the launch's page",
          text("h1") == ["laplace"] and text(".tile b")[0] == format(clocks[1], ","))
    browser.run("document.querySelector('[rel=next]').click()")
    browser.run("new Promise(done => setTimeout(done, 100))")
    check("... and that to the next", browser.run("location.hash") == "#2" and text("h1") == ["dot"])
    same = [n for n in range(61) if browser.run("data.launches[%d].lines === data.launches[9].lines" % n)]
    check("launches that are alike share their lines", len(same) > 1, same)
    browser.open("program.html", "#60")
    check("an address opens a launch's page", text("h1") == ["next_direction"])


def hostile():
    browser.screen(1440)
    browser.open("hostile.html")
    check("hostile names run nothing", browser.run("window.taken === undefined"))
    check("... make no elements", browser.run("document.querySelectorAll('script').length") == 2 and
          browser.run("document.querySelectorAll('img, main script, h1 *, .line b i').length") == 0)
    name = browser.run("data.launches[0].kernel")
    check("... and are text, without controls and marks of direction",
          name.startswith("</script><script>window.taken=1</script>") and "eman" in name and
          not any(c in name for c in "\n\u202e\u2066") and name in text(".full") + text("h1"), name)
    check("the trace's name is text in the title", browser.run("document.title").startswith("<i>'\".trc"))
    browser.run("document.body.append(Object.assign(document.createElement('script'), "
                "{textContent: 'window.taken = 1'}))")
    check("the page's policy lets no other script run", browser.run("window.taken === undefined"))


def many():
    size = os.path.getsize("many.html")
    browser.screen(1440)
    seconds = min(browser.open("many.html") for _ in range(5))
    check("500 launches are a page of at most 5 MB", size <= 5e6, size)
    check("... that opens within 2 s", seconds <= 2, seconds)
    print("# %.2f MB, %.2f s" % (size / 1e6, seconds))
    shown = len(text("section:last-of-type tbody tr"))
    browser.run("document.querySelector('.more button').click()")
    check("... with all of them, the first 200 at first",
          (shown, len(text("section:last-of-type tbody tr"))) == (200, 500))


def studies():
    browser.screen(1440)
    browser.open("pair.html")
    said = gm(*pages["pair"]).split("\n\n")[1].replace("\n", " ").strip()
    check("a comparison says what the text says", text(".verdict .what") == [said], said)
    browser.run("document.querySelectorAll('.side a')[1].click()")
    browser.run("new Promise(done => setTimeout(done, 100))")
    check("... and leads to either launch", text("h1") == ["transpose_pad"])
    browser.open("gpus.html")
    check("pairs of launches are a list", len(text("tbody tr")) == 61, len(text("tbody tr")))
    browser.open("sweep.html")
    check("a sweep draws a point for each value",
          browser.run("document.querySelectorAll('.study circle').length") == 6)
    box = browser.run("(r => [r.x + r.width * 0.95, r.y + r.height / 2])"
                      "(document.querySelector('.study svg').getBoundingClientRect())")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    browser.run("new Promise(done => setTimeout(done, 50))")
    tip = text(".tooltip:not(.hidden)")
    check("... and says its value under the pointer",
          tip and tip[0].startswith("stride 32") and tip[0].split()[-1] == text("tbody tr:last-child td")[1], tip)
    browser.open("grid.html")
    check("what else varies is a line each",
          browser.run("document.querySelectorAll('.study path.curve').length") == 4)
    before = browser.run("document.querySelector('.study path.curve').getAttribute('d')")
    browser.run("let m = document.getElementById('metric'); m.value = 1; m.dispatchEvent(new Event('change'))")
    check("... of the metric that is chosen",
          browser.run("document.querySelector('.study path.curve').getAttribute('d')") != before)


try:
    for part in (all_pages, launch, measured, arrays, picture, advice, program, hostile, many, studies):
        part()
finally:
    browser.close()
print("1..%d" % tests)
sys.exit(failed > 0)
