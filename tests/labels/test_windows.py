"""The size of a list of run times is limited."""

from __future__ import annotations

import json

from benchkit.labels.windows import read_windows


def test_run_list_with_too_many_entries_is_refused() -> None:
    windows, [problem] = read_windows(json.dumps([1] * 20_000), "runs.json")
    assert problem.what == "20,000 entries, more than 10,000; all of them are ignored"
    assert (windows, problem.severity) == ([], "error")
