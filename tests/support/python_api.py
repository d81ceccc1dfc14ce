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
