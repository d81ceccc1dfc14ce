# SPDX-License-Identifier: MIT
"""The report's shape (schema gmsim-report/1) for type checkers and completion.

Reports are plain dictionaries. A value that is not known is absent, so what may be absent is
reached with .get().
"""

from __future__ import annotations

from typing import Dict, List, Optional, TypedDict, Union

Number = Optional[Union[int, float]]  # None: the capture did not see all that it depends on


class Worst(TypedDict, total=False):
    """The request of one instruction that takes the most work."""

    cta: int
    warp: int
    sectors: int
    wavefronts: int
    lanes: int
    lane_bytes: int
    stride_bytes: int
    addresses: List[Optional[int]]


class Instruction(TypedDict, total=False):
    """One instruction that touched memory."""

    pc: str
    opcode: str
    file: str
    line: int
    access: str
    instructions: int
    threads: int
    bytes: int
    requests: int
    sectors: int
    sectors_ideal: int
    tags: int
    wavefronts: int
    wavefronts_ideal: int
    l1_hit_sectors: Optional[int]
    l1_miss_sectors: Optional[int]
    l2_read_sectors: Optional[int]
    l2_write_sectors: Optional[int]
    worst: Worst


class Finding(TypedDict, total=False):
    """What holds the kernel up and what would change it, worst first."""

    finding: str
    text: str
    fix: str
    min_cycles: int
    min_cycles_fixed: int
    cost_cycles: int


class Own(TypedDict, total=False):
    """gmsim's own numbers of a launch; times in clocks of the SMs."""

    metrics: Dict[str, Number]
    shared_conflict_degree: float
    bound: str
    min_cycles: Dict[str, Optional[int]]
    cycles: int
    launch_cycles: int
    warp_clocks: Dict[str, int]
    load_latency: float
    shared_requests_by_wavefronts: List[int]
    l2_dirty_sectors: Optional[int]
    records: int
    barriers: int
    truncated: bool
    not_seen: List[str]
    findings: List[Finding]


class Occupancy(TypedDict, total=False):
    theoretical_warps: int
    max_warps: int
    theoretical_pct: float
    blocks_per_sm: int
    limiters: List[str]
    blocks_by_limit: Dict[str, int]
    shared_per_block_bytes: int
    registers_per_block: int
    shared_config_bytes: int
    l1_cache_bytes: int
    waves: float


class Launch(TypedDict):
    """One launch; the keys of `metrics` are Nsight Compute's names."""

    launch: int
    kernel: str
    symbol: str
    grid: List[int]
    block: List[int]
    cluster: List[int]
    l2_at_start: str
    metrics: Dict[str, Number]
    gmsim: Own
    occupancy: Occupancy
    instructions: List[Instruction]


class KernelFinding(TypedDict):
    """Launches whose verdict is one finding, and their clocks."""

    launches: int
    clocks: int


class Kernel(TypedDict, total=False):
    """The sums of one kernel's launches; metrics are those of all its clocks and sectors."""

    kernel: str
    symbol: str
    launches: int
    longest_launch: int
    clocks: int
    share_pct: float
    l2_at_start: Dict[str, int]
    metrics: Dict[str, Number]
    bound: str
    min_cycles: Dict[str, Optional[int]]
    finding: str
    findings: Dict[str, KernelFinding]


class Report(TypedDict):
    schema: str
    gmsim: str
    trace: str
    capture: Dict[str, object]
    gpu: Dict[str, object]
    caches: str
    flush: bool
    launches: List[Launch]
    kernels: List[Kernel]
    complete: bool


class Parameter(TypedDict, total=False):
    """One number of a GPU: its value as `set=` takes it, its meaning, where it comes from."""

    value: Union[int, str]
    meaning: str
    source: str


class Gpu(TypedDict):
    """A GPU as gpus() lists it."""

    name: str
    title: str
    cc: List[int]
    sm_count: int
    path: str


class GpuNumbers(Gpu):
    """A GPU with every number of its description."""

    parameters: Dict[str, Parameter]


class Change(TypedDict, total=False):
    """What a launch, or all of them, take with one change."""

    change: str
    kind: str
    cycles: int
    saved_cycles: int
    saved_pct: float
    speedup: float


class AdvisedLaunch(TypedDict, total=False):
    """What changes are worth to one launch."""

    launch: int
    kernel: str
    timed: bool
    cycles: int
    changes: List[Change]


class Advice(TypedDict, total=False):
    """What gmsim.advise() returns: schema gmsim-advice/1."""

    schema: str
    gmsim: str
    trace: str
    cycles: int
    changes: List[Change]
    launches: List[AdvisedLaunch]
