# SPDX-License-Identifier: MIT
"""libgmsim's sim/gmsim.h by ctypes: finds the library, declares its functions.

Leaves out everything else of the library: only text goes in and comes out.
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import List, Optional, Sequence, Tuple

try:
    from ._installed import LIBRARY as _INSTALLED
except ImportError:  # run from the source tree
    _INSTALLED = ""

_NAME = "libgmsim.so.0"

DONE, FAILED, USAGE = 0, 1, 2


class Job(ctypes.Structure):
    """gmsim_job, field by field; `size` tells the library which fields there are."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("trace", ctypes.c_char_p),
        ("gpu", ctypes.c_char_p),
        ("set", ctypes.POINTER(ctypes.c_char_p)),
        ("kernel", ctypes.c_char_p),
        ("launch", ctypes.c_char_p),
        ("caches", ctypes.c_char_p),
        ("format", ctypes.c_char_p),
        ("flush", ctypes.c_bool),
        ("functional", ctypes.c_bool),
        ("verbose", ctypes.c_bool),
        ("synthetic", ctypes.c_char_p),
        ("source", ctypes.c_char_p),
        ("limit_memory", ctypes.c_char_p),
        ("launches", ctypes.c_char_p),
        ("top", ctypes.c_uint),
        ("sort", ctypes.c_char_p),
        ("arrays", ctypes.c_bool),
        ("plugin", ctypes.POINTER(ctypes.c_char_p)),
        ("measured", ctypes.c_char_p),
        ("stop", ctypes.POINTER(ctypes.c_int)),
        ("threads", ctypes.c_uint),
    ]


def _load() -> ctypes.CDLL:
    chosen = os.environ.get("GMSIM_LIBRARY")
    tried = [chosen] if chosen else [name for name in (_INSTALLED, _NAME) if name]
    reason = ""
    for name in tried:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reason = str(error)
    raise ImportError(
        f"{reason}; install gmsim, or set GMSIM_LIBRARY to the path of {_NAME}"
    )


_library = _load()
_library.gmsim_simulate.argtypes = [
    ctypes.POINTER(Job),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_void_p),
]
_library.gmsim_simulate.restype = ctypes.c_int
_library.gmsim_advise.argtypes = _library.gmsim_simulate.argtypes
_library.gmsim_advise.restype = ctypes.c_int
_library.gmsim_describe_gpus.argtypes = [
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_void_p),
]
_library.gmsim_describe_gpus.restype = ctypes.c_int
_library.gmsim_version.argtypes = []
_library.gmsim_version.restype = ctypes.c_char_p
_library.gmsim_free.argtypes = [ctypes.c_void_p]
_library.gmsim_free.restype = None


def strings(words: Sequence[str]) -> Optional["ctypes.Array[ctypes.c_char_p]"]:
    """Words as C has them, ended by NULL; None where there are none."""
    if not words:
        return None
    return (ctypes.c_char_p * (len(words) + 1))(*[os.fsencode(w) for w in words], None)


def _take(text: ctypes.c_void_p) -> str:
    """The text as Python has it; frees the library's."""
    if not text.value:
        return ""
    value = ctypes.string_at(text.value).decode("utf-8", "replace")
    _library.gmsim_free(text)
    return value


class Stop:
    """Ends all simulations that were begun inside of it, in any thread: now()."""

    _inside = threading.local()

    def __init__(self) -> None:
        self.flag = ctypes.c_int(0)

    def __enter__(self) -> None:
        Stop._inside.stop = self

    def __exit__(self, *_: object) -> None:
        Stop._inside.stop = None

    def now(self) -> None:
        self.flag.value = 1


def simulate(job: Job, advice: bool = False) -> Tuple[int, str]:
    """Status, and the report, or what changes are worth, or the message. In the main thread, which alone sees Ctrl-C, the call
    runs in another one, which an exception here tells to stop; it is not waited for."""
    outer = getattr(Stop._inside, "stop", None)
    if outer is not None:
        job.stop = ctypes.pointer(outer.flag)
    if threading.current_thread() is not threading.main_thread():
        return _simulate(job, advice)
    stop = outer or Stop()
    job.stop = ctypes.pointer(stop.flag)
    answer: List[Tuple[int, str]] = []
    done = threading.Event()

    def work() -> None:
        answer.append(_simulate(job, advice))
        done.set()

    threading.Thread(target=work, daemon=True).start()
    try:
        while not done.wait(0.1):  # a wait without end might not see the signal
            pass
    except BaseException:
        stop.now()
        raise
    return answer[0]


def _simulate(job: Job, advice: bool) -> Tuple[int, str]:
    report, message = ctypes.c_void_p(), ctypes.c_void_p()
    job.size = ctypes.sizeof(Job)
    call = _library.gmsim_advise if advice else _library.gmsim_simulate
    status = call(ctypes.byref(job), ctypes.byref(report), ctypes.byref(message))
    return status, _take(report) if status == DONE else _take(message)


def describe_gpus(gpu: Optional[str], assignments: Sequence[str]) -> Tuple[int, str]:
    """Status, and JSON or the message."""
    text, message = ctypes.c_void_p(), ctypes.c_void_p()
    status = _library.gmsim_describe_gpus(
        None if gpu is None else os.fsencode(gpu),
        strings(assignments),
        ctypes.byref(text),
        ctypes.byref(message),
    )
    return status, _take(text) if status == DONE else _take(message)


def version() -> str:
    return str(_library.gmsim_version().decode())
