"""Hostile names, and a report full of them.

Variants, benchmarks, paths and errors come from files that anyone may have written; no output may
execute, hide or restyle anything because of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from examples import RATE, tracing_runs, verdicts

from benchkit.derived.record import Measured
from benchkit.derived.timeline import Track
from benchkit.errors import Diagnostic, Finding
from benchkit.reporting.model import Report, build

HOSTILE = (
    "<script>alert(1)</script>",
    "a|b\n# c",
    "\x1b[31mred\x00",
    "=1+1",
    "](javascript:x)",
    "@someone #1",
    '"><img src=x onerror=alert(1)>',
    "\u202eevil",
)


def hostile_report() -> Report:
    sides = {"none": (100.0, 101.0, 99.0)} | dict.fromkeys(HOSTILE, (90.0, 91.0, 92.0))
    findings = [
        Finding(
            code="B000", severity="error", message=name, remedy=name, where=name, numbers={name: 1}
        )
        for name in (*HOSTILE, "not UTF-8 \udc80")
    ]
    judged = verdicts({RATE: sides}, "wrk", HOSTILE[0])
    only_in = {"none": HOSTILE}
    judged = replace(judged, comparisons=replace(judged.comparisons, only_in=only_in))
    tracks = [hostile_track(variant) for variant in ("none", *HOSTILE)]
    return build(
        judged, tracing_runs(), findings, title=HOSTILE[0], command=HOSTILE[6], tracks=tracks,
        diagnostics=[Diagnostic(name, 1, name, name) for name in HOSTILE],
    )  # fmt: skip


def hostile_track(variant: str) -> Track:
    run = Measured(
        group="", variant=variant, benchmark=HOSTILE[0], params="", run=1, tool="wrk",
        window=(0.0, 9.0), duration=9.0,
    )  # fmt: skip
    return Track(
        run=run,
        metric="cpu_usage",
        stat="",
        subject=HOSTILE[6],
        is_service=True,
        times=np.arange(10.0),
        values=np.arange(10.0),
    )
