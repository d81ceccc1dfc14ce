# SPDX-License-Identifier: MIT
"""gmsim: what the memory hierarchy of a GPU does with a trace of a CUDA kernel.

    >>> import gmsim
    >>> report = gmsim.simulate("transpose_nopad.trc", gpu="h200")
    >>> report["launches"][0]["metrics"]["dram__sectors_read.sum"]
    131072
    >>> print(gmsim.text(synthetic="transpose:n=1024,tile=32,pad=1"))

A report is the dictionary that `gmsim --format json` writes. Other threads run while one simulates,
so a pool of threads simulates many configurations at once. A simulation that runs cannot be
interrupted: Ctrl-C is seen when it is done.
"""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, List, Mapping, Optional, Union, cast

from . import _library
from ._types import Advice, Change, Finding, Gpu, GpuNumbers, Instruction, Launch, Occupancy, Own, Parameter
from ._types import Report, Worst

__all__ = [
    "Advice",
    "Change",
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
    "UsageError",
    "Worst",
    "advise",
    "gpu",
    "gpus",
    "simulate",
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
    trace: Optional[Path],
    synthetic: Optional[str],
    format: str,
    gpu: Path,
    set: Optional[Assignments],
    kernel: Optional[str],
    launch: Optional[int],
    launches: Optional[str],
    caches: str,
    flush: bool,
    functional: bool,
    limit_memory: Optional[str],
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
        verbose=verbose,
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
    """
    answer = _simulate(
        trace,
        synthetic,
        "json",
        gpu,
        set,
        kernel,
        launch,
        launches,
        caches,
        flush,
        functional,
        limit_memory,
    )
    return cast(Report, json.loads(answer))


def text(
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
    verbose: bool = False,
) -> str:
    """The same as the report that the command prints; verbose: all of it."""
    return _simulate(
        trace,
        synthetic,
        "text",
        gpu,
        set,
        kernel,
        launch,
        launches,
        caches,
        flush,
        functional,
        limit_memory,
        verbose,
    )


def advise(
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
    limit_memory: Optional[str] = None,
) -> Advice:
    """What each cost, and each fix, is worth in cycles, the largest saving first: a replay each."""
    answer = _simulate(
        trace,
        synthetic,
        "json",
        gpu,
        set,
        kernel,
        launch,
        launches,
        caches,
        flush,
        False,
        limit_memory,
        advice=True,
    )
    return cast(Advice, json.loads(answer))


def gpus() -> List[Gpu]:
    """The GPUs that are known, by name."""
    return cast(List[Gpu], json.loads(_check(*_library.describe_gpus(None, []))))


def gpu(name: Path, set: Optional[Assignments] = None) -> GpuNumbers:
    """One GPU with every number, its meaning and its source, after the changes of `set`."""
    answer = _check(*_library.describe_gpus(os.fspath(name), _assignments(set)))
    return cast(GpuNumbers, json.loads(answer))
