"""Lists of one-line results with user-defined names."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

PAGE = """# Speed

```
{}
```

The whole output of one of them:

```
Benchmark 1: tool one
  Time (mean ± σ):     239.7 ms ±  43.7 ms    [User: 607.0 ms, System: 822.3 ms]
  Range (min … max):   213.0 ms … 327.5 ms    10 runs
```
"""
TIME = "{}: Time (mean ± σ):   {}.360 s ± 0.007 s [User: 24.677 s, System: 0.679 s]"


@pytest.mark.parametrize(
    "names",
    [
        ["before", "after"],
        ["4 cores", "8 cores", "16 cores"],
        [f"{cores} cores, {side}" for cores in (4, 8, 16) for side in ("main", "tries")],
    ],
)
def test_each_line_of_a_list_is_a_result_with_its_name(tmp_path: Path, names: list[str]) -> None:
    lines = [TIME.format(name, number) for number, name in enumerate(names, 1)]
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("\n".join(lines)), encoding="utf-8")
    frame = bk.load(str(page)).observations
    means = frame[(frame["metric"] == "time_per_op") & (frame["stat"] == "mean")]
    expected = {name: number + 0.36 for number, name in enumerate(names, 1)} | {"tool one": 0.2397}
    assert dict(zip(means["benchmark"], means["value"], strict=True)) == pytest.approx(expected)
