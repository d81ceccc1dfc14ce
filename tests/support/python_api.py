# SPDX-License-Identifier: MIT
"""The package against the command: python_api.py GMSIM SAMPLES WORK prints "pass NAME" lines."""

import json
import pathlib
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

import gmsim

command, samples, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
trace = samples / "transpose_nopad.trc"


def printed(*options):
    return subprocess.run(
        [command, *map(str, options)], check=True, capture_output=True, encoding="utf-8"
    ).stdout


def raises(kind, says, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kind as error:
        assert says in str(error) and "\n" not in str(error), str(error)
        return
    raise AssertionError(f"no {kind.__name__}")


def test_report_is_the_commands():
    assert gmsim.simulate(trace) == json.loads(printed("--format", "json", trace))


def test_every_option_arrives():
    cases = (
        ({"gpu": "a100"}, ("--gpu", "a100")),
        ({"set": {"l2.size": "20M", "l1.latency": 99}}, ("--set", "l2.size=20M", "--set", "l1.latency=99")),
        ({"set": ["l1.latency=99"]}, ("--set", "l1.latency=99")),
        ({"set": {"shared.carveouts": ["0K", "228K"]}}, ("--set", "shared.carveouts=0K, 228K")),
        ({"kernel": "nopad"}, ("--kernel", "nopad")),
        ({"launch": 0}, ("--launch", "0")),
        ({"launches": "0-"}, ("--launches", "0-")),
        ({"caches": "warm"}, ("--caches", "warm")),
        ({"flush": True}, ("--flush",)),
        ({"functional": True}, ("--functional",)),
        ({"limit_memory": "512M"}, ("--limit-memory", "512M")),
    )
    for given, options in cases:
        ours = gmsim.simulate(str(trace), **given)
        assert ours == json.loads(printed("--format", "json", *options, trace)), given
    assert gmsim.simulate(trace, caches="warm")["caches"] == "warm"
    assert gmsim.simulate(trace, flush=True)["flush"] is True
    numbers = gmsim.simulate(trace, set={"l1.latency": 99})["gpu"]["parameters"]
    assert numbers["l1.latency"] == 99


def test_synthetic():
    line = "banks:stride=4"
    ours = gmsim.simulate(synthetic=line)
    assert ours == json.loads(printed("--format", "json", "--synthetic", line))
    assert ours["launches"][0]["gmsim"]["shared_conflict_degree"] == 4
    assert gmsim.text(synthetic=line) == printed("--color", "never", "--synthetic", line)
    raises(gmsim.UsageError, "takes the place of a trace", gmsim.simulate, trace, synthetic=line)
    raises(gmsim.UsageError, "synthetic: ", gmsim.simulate, synthetic="bank:stride=4")
    raises(gmsim.UsageError, "no trace given", gmsim.simulate)


def test_text_is_the_commands():
    assert gmsim.text(trace) == printed("--color", "never", trace)
    # Speed, which a verbose command says, goes to standard error.
    assert gmsim.text(trace, verbose=True) == printed("--color", "never", "--verbose", trace)


def test_advice_is_the_commands():
    ours = gmsim.advise(trace)
    assert ours == json.loads(printed("advise", "--format", "json", trace))
    assert {"pad", "swizzle"} <= {change["change"] for change in ours["changes"][:3]}
    raises(gmsim.InputError, "missing.trc", gmsim.advise, "missing.trc")


def test_known_counts():
    metrics = gmsim.simulate(trace)["launches"][0]["metrics"]
    assert metrics["smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"] == 1081344
    padded = gmsim.simulate(samples / "transpose_pad.trc")["launches"][0]["metrics"]
    assert padded["smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"] == 65536


def test_errors():
    raises(gmsim.InputError, "absent.trc: cannot open", gmsim.simulate, work / "absent.trc")
    part = work / "part.trc"
    part.write_bytes(trace.read_bytes()[:20000])
    raises(gmsim.InputError, "part.trc: ", gmsim.simulate, part)
    raises(gmsim.UsageError, "unknown GPU 'h2000'", gmsim.simulate, trace, gpu="h2000")
    raises(ValueError, "l1.sise: unknown key", gmsim.simulate, trace, set={"l1.sise": 1})
    raises(gmsim.InputError, "limit of 4096 bytes", gmsim.simulate, trace, limit_memory="4K")
    raises(gmsim.UsageError, "limit-memory x: ", gmsim.simulate, trace, limit_memory="x")
    raises(gmsim.UsageError, "launch 7: ", gmsim.simulate, trace, launch=7)
    raises(gmsim.UsageError, "kernel absent: ", gmsim.simulate, trace, kernel="absent")
    raises(gmsim.UsageError, "caches hot: ", gmsim.simulate, trace, caches="hot")
    raises(gmsim.UsageError, "unknown GPU", gmsim.gpu, "h2000")


def test_file_names_are_bytes():
    name = work / b"n\xc3\xa4me-\xff \n.trc".decode("utf-8", "surrogateescape")
    name.write_bytes(trace.read_bytes())
    assert gmsim.simulate(name)["launches"] == gmsim.simulate(trace)["launches"]


def test_gpus():
    listed = [gpu["name"] for gpu in gmsim.gpus()]
    assert "h200" in listed and listed == sorted(listed)
    assert len(listed) == len(printed("gpus").splitlines()) - 1
    h200 = gmsim.gpu("h200", {"l1.latency": 99})
    assert (h200["cc"], h200["sm_count"]) == ([9, 0], 132)
    assert h200["parameters"]["l1.latency"]["value"] == 99
    assert all(number["meaning"] for number in h200["parameters"].values())


def test_threads():
    expected = gmsim.simulate(trace)
    with ThreadPoolExecutor(4) as pool:
        assert all(report == expected for report in pool.map(gmsim.simulate, [trace] * 8))


def test_compare():
    pair = gmsim.compare(trace, samples / "transpose_pad.trc")
    wavefronts = pair["launches"][0]["metrics"]["smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"]
    assert wavefronts == {"a": 1081344, "b": 65536, "ratio": 65536 / 1081344}
    told = json.loads(printed("compare", trace, samples / "transpose_pad.trc", "--format", "json"))
    assert abs(pair["speedup"] - told["pairs"][0]["speedup"]) < 1e-3 * pair["speedup"]
    assert gmsim.compare(gmsim.simulate(trace), trace)["speedup"] == 1
    two = samples / "sgemm_cublas.trc"
    raises(gmsim.UsageError, "1 launches against 2", gmsim.compare, trace, two)


def test_sweep():
    hit = "lts__t_sector_hit_rate.pct"
    rows = gmsim.sweep(
        samples / "embedding_bag_128.trc", set={"l2.size": ["1M", "8M"], "l1.latency": 40}, metrics=[hit]
    )
    assert [row["l2.size"] for row in rows] == ["1M", "8M"] and rows[0][hit] < rows[1][hit]
    assert all(row["l1.latency"] == 40 for row in rows)
    alone = gmsim.simulate(rows[1]["trace"], set={"l2.size": "8M", "l1.latency": 40})
    assert alone["launches"][0]["metrics"][hit] == rows[1][hit]
    own = "gmsim__shared_wavefronts_per_request.ratio"
    lines = [f"banks:stride={stride}" for stride in (1, 2, 32)]
    assert [row[own] for row in gmsim.sweep(synthetic=lines, metrics=[own])] == [1, 2, 32]
    assert [row["gpu"] for row in gmsim.sweep(synthetic=lines[0], gpu=["h200", "a100"])] == ["h200", "a100"]
    raises(gmsim.UsageError, "metrics hits: ", gmsim.sweep, synthetic=lines[0], metrics=["hits"])
    raises(gmsim.UsageError, "l2.sise", gmsim.sweep, synthetic=lines, set={"l2.sise": [1, 2]})


def test_run():
    program = work / "program"
    program.write_text('#!/bin/sh\n[ "$1" = 7 ] || exit 5\ncp "%s" "$GMSIM_TRACE"\n' % trace)
    program.chmod(0o755)
    report = gmsim.run(program, "7", gpu="a100")
    assert report["trace"] == str(program) and report["gpu"]["name"] == "a100"
    assert report["launches"] == gmsim.simulate(trace, gpu="a100")["launches"]
    raises(gmsim.InputError, "program: failed with exit status 5", gmsim.run, program)
    raises(gmsim.InputError, "absent: No such file", gmsim.run, work / "absent")
    raises(gmsim.InputError, "launched no kernel", gmsim.run, "/bin/true")


def test_tables():
    table = gmsim.simulate(trace)._repr_html_()
    assert "transpose_nopad" in table and "<td>131,072</td>" not in table
    assert table.count("<tr>") == 2 and "bank-conflicts" in table
    hostile = gmsim.Rows([{"<b>": "<script>&", "n": 1.5, "none": None}])._repr_html_()
    assert "<script>" not in hostile and "&lt;script&gt;&amp;" in hostile and "<td>1.5</td>" in hostile
    many = gmsim.Rows({"n": n} for n in range(60))._repr_html_()
    assert many.count("<tr>") == 51 and "the first 50 of 60" in many
    assert "speedup" in gmsim.compare(trace, trace) and "<table>" in gmsim.compare(trace, trace)._repr_html_()


def test_advice_table():
    advice = gmsim.advise(trace)
    table = advice._repr_html_()
    assert table.count("<tr>") == 1 + len(advice["changes"]) > 1 and "no-bank-conflicts" in table


def test_frames():
    try:
        import pandas
    except ImportError:
        raises(ImportError, "frame() needs pandas", gmsim.frame, gmsim.simulate(trace))
        return
    launches = gmsim.frame(gmsim.simulate(trace))
    assert isinstance(launches, pandas.DataFrame) and len(launches) == 1
    assert launches["dram__sectors_read.sum"][0] == 131072
    rows = gmsim.frame(gmsim.sweep(synthetic=["banks:stride=1", "banks:stride=2"]))
    assert list(rows["synthetic"]) == ["banks:stride=1", "banks:stride=2"]
    assert set(gmsim.frame(gmsim.compare(trace, trace))["ratio"].dropna()) == {1.0}


def test_interrupted():
    """Ctrl-C in a simulation that would take minutes, and in a sweep of them."""
    long = "random:n=4M,passes=20"
    for call in ("gmsim.simulate(synthetic=%r)", "gmsim.sweep(synthetic=[%r] * 8, jobs=2)"):
        script = (
            "import gmsim, os, signal, threading, time\n"
            "def send():\n"
            "    global sent\n"
            "    sent = time.monotonic()\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background ignores it
            "threading.Timer(0.5, send).start()\n"
            "try:\n    " + call % long + "\n"
            "except KeyboardInterrupt:\n"
            "    print(time.monotonic() - sent, flush=True)\n"
            "    os._exit(0)\n"
        )
        told = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, encoding="utf-8", timeout=100
        )
        assert told.stdout and float(told.stdout) < 20, (call, told)  # of minutes; machines are busy
    assert gmsim.simulate(trace)["complete"] is True


def test_stopped():
    stop = gmsim._library.Stop()
    with stop:
        assert gmsim.simulate(trace)["complete"] is True
        stop.now()
        raises(gmsim.InputError, "transpose_nopad.trc: stopped", gmsim.simulate, trace)
        raises(gmsim.InputError, "stopped", gmsim.simulate, trace, functional=True)
    assert gmsim.simulate(trace)["complete"] is True


def test_plugins():
    raises(gmsim.InputError, "absent.so: no plug-in", gmsim.simulate, trace, plugins=[work / "absent.so"])


def test_version():
    assert printed("--version").split() == ["gmsim", gmsim.__version__]


failed = False
for name, test in sorted(globals().copy().items()):
    if name.startswith("test_"):
        try:
            test()
            print("pass", name[5:].replace("_", " "))
        except Exception:
            failed = True
            traceback.print_exc()
            print("fail", name[5:].replace("_", " "))
sys.exit(failed)
