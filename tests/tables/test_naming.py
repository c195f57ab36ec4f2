"""The displayed name of the container of a row."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import benchkit.api as bk
from benchkit.cli.console import render_comparison

COSTS = Path("fixtures/skywalking-costs")
CONSUMER = "/docker/70106e645a7532240887c74de138d1a40703bb11cae39f3f05571222dba258ef"


def test_mapped_container_name_appears_in_sentence_and_table(tmp_path: Path) -> None:
    shutil.copytree(COSTS, tmp_path, dirs_exist_ok=True)
    unnamed = bk.load(tmp_path).compare(baseline="no-agent")
    (tmp_path / "containers.json").write_text(json.dumps({CONSUMER: "consumer"}))
    named = bk.load(tmp_path).compare(baseline="no-agent")
    for comparison, name in ((unnamed, "70106e645a75"), (named, "consumer")):
        assert f"CPU per request ({name})" in comparison.verdict
        table = render_comparison(comparison.verdicts)
        assert f"{name}  CPU per request" in " ".join(table.splitlines())
        assert CONSUMER not in table
        subjects = comparison.frame.query("metric == 'cpu_per_request'")["subject"]
        assert set(subjects) == {CONSUMER}
