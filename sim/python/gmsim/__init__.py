# SPDX-License-Identifier: MIT
"""gmsim: what the memory hierarchy of a GPU does with a trace of a CUDA kernel.

    >>> import gmsim
    >>> report = gmsim.simulate("transpose_nopad.trc", gpu="h200")
    >>> report["launches"][0]["metrics"]["dram__sectors_read.sum"]
    131072
    >>> print(gmsim.text(synthetic="transpose:n=1024,tile=32,pad=1"))

A report is the dictionary that `gmsim --format json` writes. Other threads run while one simulates,
so a pool of threads simulates many configurations at once. Ctrl-C ends a simulation of the main
thread.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union, cast

from . import _library
from ._results import Comparison, Rows, frame, shown
from ._types import Advice, Change, Finding, Gpu, GpuNumbers, Instruction, Launch, Occupancy, Own, Parameter
from ._types import Report, Worst

__all__ = [
    "Advice",
    "Change",
    "Comparison",
    "Error",
    "Finding",
    "Gpu",
    "GpuNumbers",
    "InputError",
    "Instruction",
    "Launch",
    "Occupancy",
    "Own",
    "Parameter",
    "Report",
    "Rows",
    "UsageError",
    "Worst",
    "advise",
    "compare",
    "frame",
    "gpu",
    "gpus",
    "run",
    "simulate",
    "sweep",
    "text",
]

__version__ = _library.version()

Path = Union[str, "os.PathLike[str]"]
Assignments = Union[Mapping[str, Any], Iterable[str]]


class Error(Exception):
    """gmsim's one line: what is wrong, where, what to do."""


class InputError(Error):
    """A trace or a GPU's file cannot be read, or is damaged."""


class UsageError(Error, ValueError):
    """An argument is wrong: an unknown GPU or key, a kernel that is not in the trace."""


def _check(status: int, answer: str) -> str:
    if status == _library.DONE:
        return answer
    raise UsageError(answer) if status == _library.USAGE else InputError(answer)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ", ".join(_value(part) for part in value)
    return str(value)


def _assignments(given: Optional[Assignments]) -> List[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{key}={_value(value)}" for key, value in given.items()]
    return [str(word) for word in given]


def _bytes(word: Optional[Path]) -> Optional[bytes]:
    return None if word is None else os.fsencode(word)


def _simulate(
    format: str,
    trace: Optional[Path] = None,
    *,
    synthetic: Optional[str] = None,
    gpu: Path = "h200",
    set: Optional[Assignments] = None,
    kernel: Optional[str] = None,
    launch: Optional[int] = None,
    launches: Optional[str] = None,
    caches: str = "cold",
    flush: bool = False,
    functional: bool = False,
    limit_memory: Optional[str] = None,
    plugins: Iterable[Path] = (),
    threads: int = 0,
    verbose: bool = False,
    advice: bool = False,
) -> str:
    job = _library.Job(
        trace=_bytes(trace),
        synthetic=_bytes(synthetic),
        gpu=_bytes(gpu),
        set=_library.strings(_assignments(set)),
        kernel=_bytes(kernel),
        launch=_bytes(None if launch is None else str(launch)),
        launches=_bytes(launches),
        caches=_bytes(caches),
        format=_bytes(format),
        flush=flush,
        functional=functional,
        limit_memory=_bytes(limit_memory),
        plugin=_library.strings([os.fspath(plugin) for plugin in plugins]),
        verbose=verbose,
        threads=threads,
    )
    return _check(*_library.simulate(job, advice))


def simulate(
    trace: Optional[Path] = None,
    *,
    synthetic: Optional[str] = None,
    gpu: Path = "h200",
    set: Optional[Assignments] = None,
    kernel: Optional[str] = None,
    launch: Optional[int] = None,
    launches: Optional[str] = None,
    caches: str = "cold",
    flush: bool = False,
    functional: bool = False,
    limit_memory: Optional[str] = None,
    plugins: Iterable[Path] = (),
    threads: int = 0,
) -> Report:
    """Replays a trace on a GPU and returns the report as a dictionary.

    trace       the trace file
    synthetic   in place of it a pattern of accesses: "stride:n=1M,bytes=4,stride=32"
    gpu         a name that gpus() lists, or the path of an .ini file
    set         changed numbers of that GPU: {"l1.size": "64K", "l2.size": 20 << 20}
    kernel      regular expression: only launches whose kernel name matches
    launch      only this launch, counted from 0
    launches    only these: "0-7", "2,5-8,100-"
    caches      "cold" (empty before the first launch) or "warm" (each replayed once before)
    flush       empty L2 before every launch, as Nsight Compute does
    functional  count without timing
    limit_memory  what the trace may make the reader take: "4G" (default "1G"), or "none"
    plugins     shared objects whose policies `set` may name; they run with your rights
    threads     that replay a launch; 0: one a processor, 8 at most. The report is the same

    A notebook shows it as a table; frame() makes a pandas.DataFrame of it.
    """
    return cast(Report, shown(json.loads(_simulate("json", **locals()))))


def run(program: Path, *arguments: str, **options: Any) -> Report:
    """Runs a program built with gmcc, natively and with your rights, and replays what it launched:
    the report, as simulate() gives it with the same options. Its output goes where Python's goes.
    InputError where the program fails or launches nothing."""
    program = os.fspath(program)
    with tempfile.TemporaryDirectory(prefix="gmsim-") as folder:
        trace = os.path.join(folder, "run.trc")
        path = os.path.join(".", program) if os.sep not in program else program
        try:
            code = subprocess.call([path, *arguments], env={**os.environ, "GMSIM_TRACE": trace})
        except OSError as error:
            raise InputError(f"{program}: {error.strerror}") from error
        if code != 0:
            ended = f"signal {-code}" if code < 0 else f"exit status {code}"
            raise InputError(f"{program}: failed with {ended}")
        if not os.path.exists(trace):
            raise InputError(f"{program}: launched no kernel; was it built with gmcc?")
        report = simulate(trace, **options)
    report["trace"] = program
    return report


def compare(a: Union[Report, Path], b: Union[Report, Path], **options: Any) -> Comparison:
    """Two reports, or traces that simulate() replays with these options, metric by metric; a is the
    base. Launches are paired in their order; UsageError where one side has more."""
    sides = [
        one if isinstance(one, Mapping) else simulate(one, **options) for one in (a, b)
    ]
    counts = [len(side["launches"]) for side in sides]
    if counts[0] != counts[1]:
        raise UsageError(f"{counts[0]} launches against {counts[1]}; pick with kernel= or launches=")
    return Comparison.of(sides[0], sides[1])


def sweep(
    trace: Union[None, Path, Iterable[Path]] = None,
    *,
    synthetic: Union[None, str, Iterable[str]] = None,
    gpu: Union[Path, Iterable[Path]] = "h200",
    set: Optional[Mapping[str, Any]] = None,
    metrics: Iterable[str] = ("gpc__cycles_elapsed.max",),
    jobs: Optional[int] = None,
    **options: Any,
) -> Rows:
    """Simulates every combination of traces, synthetic patterns, GPUs and values, `jobs` at a time,
    and gives a row for each and each of its launches: what was chosen, and the metrics, by Nsight
    Compute's name or gmsim's ("gmsim__..."). A list varies, all else is the same for all; what a
    value of a key holds is one value or a list of them: set={"l2.size": ["20M", "60M"]}."""
    given = dict(set or {})
    sources = [{"trace": one} for one in _several(trace)]
    sources += [{"synthetic": one} for one in _several(synthetic)]
    names = list(metrics)
    points = [
        {**source, "gpu": chosen, "set": dict(zip(given, values))}
        for source in sources
        for chosen in _several(gpu)
        for values in itertools.product(*[_several(value) for value in given.values()])
    ]
    stop = _library.Stop()

    def simulated(point: Mapping[str, Any]) -> Report:
        if stop.flag.value:
            raise Error("stopped")
        with stop:
            return simulate(**point, **options)

    rows = Rows()
    pool = ThreadPoolExecutor(jobs or os.cpu_count())
    try:
        futures = [pool.submit(simulated, point) for point in points]
        for point, future in zip(points, futures):
            while not future.done():
                wait([future], timeout=0.1)  # a wait without end might not see Ctrl-C
            rows.extend(_rows(point, future.result(), names))
    finally:
        stop.now()
        pool.shutdown(wait=False)
    return rows


def _several(value: Any) -> List[Any]:
    if value is None:
        return []
    return [value] if isinstance(value, (str, bytes, os.PathLike, int, float)) else list(value)


def _rows(point: Mapping[str, Any], report: Report, metrics: List[str]) -> Iterable[Dict[str, Any]]:
    for launch in report["launches"]:
        row: Dict[str, Any] = {key: point[key] for key in ("trace", "synthetic", "gpu") if key in point}
        row.update(point["set"])
        row.update(launch=launch["launch"], kernel=launch["kernel"])
        known = {**launch["metrics"], **launch["gmsim"].get("metrics", {})}
        for name in metrics:
            if name not in known:
                raise UsageError(f"metrics {name}: no such metric; gmsim(1) lists them")
            row[name] = known[name]
        yield row


def text(trace: Optional[Path] = None, *, verbose: bool = False, **options: Any) -> str:
    """The report as the command prints it, with simulate()'s options; verbose: all of it."""
    return _simulate("text", trace, verbose=verbose, **options)


def advise(trace: Optional[Path] = None, **options: Any) -> Advice:
    """What each cost, and each fix, is worth in cycles, the largest saving first: a replay each,
    with simulate()'s options but functional, since times are compared."""
    if "functional" in options:
        raise TypeError("advise() compares times, which functional leaves out")
    return cast(Advice, shown(json.loads(_simulate("json", trace, advice=True, **options))))


def gpus() -> List[Gpu]:
    """The GPUs that are known, by name."""
    return cast(List[Gpu], json.loads(_check(*_library.describe_gpus(None, []))))


def gpu(name: Path, set: Optional[Assignments] = None) -> GpuNumbers:
    """One GPU with every number, its meaning and its source, after the changes of `set`."""
    answer = _check(*_library.describe_gpus(os.fspath(name), _assignments(set)))
    return cast(GpuNumbers, json.loads(answer))
