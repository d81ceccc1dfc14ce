# SPDX-License-Identifier: MIT
"""What calls give: dictionaries and lists that notebooks show as tables.

Numbers stay in the dictionaries; only what is shown is rounded. Names come from traces and may be
anything: they are escaped.
"""

from __future__ import annotations

import html
from typing import Any, Dict, Iterable, List, Mapping, Sequence, cast

MOST_ROWS = 50  # that are shown

# Shown of a launch: heading, metric, factor.
_COLUMNS = (
    ("cycles", "gpc__cycles_elapsed.max", 1.0),
    ("L1 hit %", "l1tex__t_sector_hit_rate.pct", 1.0),
    ("L2 hit %", "lts__t_sector_hit_rate.pct", 1.0),
    ("DRAM read MB", "dram__sectors_read.sum", 32e-6),
    ("DRAM written MB", "dram__sectors_write.sum", 32e-6),
)


def _cell(value: Any) -> str:
    if value is None:
        return "<td>-</td>"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"<td style='text-align:left'>{html.escape(str(value))}</td>"
    text = f"{value:,.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"
    return f"<td>{text}</td>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]], caption: str) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        caption += f", the first {MOST_ROWS} of {len(rows)}"
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


class _Report(Dict[str, Any]):
    """The report as a notebook shows it: a row a launch."""

    def _repr_html_(self) -> str:
        rows = [
            [launch["launch"], launch["kernel"]]
            + [_scaled(launch["metrics"].get(name), factor) for _, name, factor in _COLUMNS]
            + [", ".join(finding["finding"] for finding in launch["gmsim"].get("findings", [])[:1])]
            for launch in self["launches"]
        ]
        heads = ["launch", "kernel", *(head for head, _, _ in _COLUMNS), "finding"]
        return _table(heads, rows, f"{self['trace']} on {self['gpu']['name']}")

    def rows(self) -> Iterable[Mapping[str, Any]]:
        for launch in self["launches"]:
            yield {
                "launch": launch["launch"],
                "kernel": launch["kernel"],
                **launch["metrics"],
                **launch["gmsim"].get("metrics", {}),
            }


class _Advice(Dict[str, Any]):
    """What changes are worth, a row each."""

    def _repr_html_(self) -> str:
        heads = ["change", "kind", "cycles", "saved_cycles", "saved_pct", "speedup"]
        rows = [[change.get(head) for head in heads] for change in self.get("changes", [])]
        return _table(heads, rows, f"{self['trace']}: worth of changes")

    def rows(self) -> Iterable[Mapping[str, Any]]:
        return cast(List[Dict[str, Any]], self.get("changes", []))


def _scaled(value: Any, factor: float) -> Any:
    return value * factor if value is not None and factor != 1.0 else value


def shown(report: Dict[str, Any]) -> Dict[str, Any]:
    return _Advice(report) if "changes" in report else _Report(report)


class Rows(List[Dict[str, Any]]):
    """A list of rows, dictionaries of the same keys."""

    def _repr_html_(self) -> str:
        heads: List[str] = list(dict.fromkeys(key for row in self for key in row))
        return _table(heads, [[row.get(head) for head in heads] for row in self], "sweep")

    def rows(self) -> Iterable[Mapping[str, Any]]:
        return iter(self)


class Comparison(Dict[str, Any]):
    """{"a", "b": traces; "speedup": cycles of a over those of b, or None; "launches": [{"kernel",
    "metrics": {NAME: {"a", "b", "ratio"}}}]}. A ratio is b over a, None where a is 0 or unknown."""

    @classmethod
    def of(cls, a: Mapping[str, Any], b: Mapping[str, Any]) -> "Comparison":
        launches: List[Dict[str, Any]] = []
        for one, other in zip(a["launches"], b["launches"]):
            metrics = {
                name: _pair(value, other["metrics"].get(name))
                for name, value in one["metrics"].items()
            }
            launches.append({"kernel": [one["kernel"], other["kernel"]], "metrics": metrics})
        pairs = [launch["metrics"].get("gpc__cycles_elapsed.max", {}) for launch in launches]
        known = bool(pairs) and all(pair.get("ratio") for pair in pairs)
        speedup = sum(p["a"] for p in pairs) / sum(p["b"] for p in pairs) if known else None
        return cls(a=a["trace"], b=b["trace"], speedup=speedup, launches=launches)

    def _repr_html_(self) -> str:
        rows = [
            [" / ".join(dict.fromkeys(launch["kernel"])), name, pair["a"], pair["b"], pair["ratio"]]
            for launch in self["launches"]
            for name, pair in launch["metrics"].items()
            if pair["a"] != pair["b"]
        ]
        speedup = f": {self['speedup']:.2f} times as fast" if self["speedup"] else ""
        return _table(
            ["kernel", "metric", "a", "b", "b / a"], rows, f"{self['a']}, {self['b']}{speedup}"
        )

    def rows(self) -> Iterable[Mapping[str, Any]]:
        for index, launch in enumerate(self["launches"]):
            for name, pair in launch["metrics"].items():
                yield {"launch": index, "kernel": launch["kernel"][0], "metric": name, **pair}


def _pair(a: Any, b: Any) -> Dict[str, Any]:
    return {"a": a, "b": b, "ratio": b / a if a and b is not None else None}


def frame(result: Any) -> Any:
    """A pandas.DataFrame of what simulate(), run(), sweep(), compare() or advise() gave: a row a
    launch, a point, a metric, a change. ImportError where pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frame() needs pandas: pip install pandas") from error
    return pandas.DataFrame(list(cast(Any, result).rows()))
