"""Runs that are listed but never compared."""

from __future__ import annotations

from pathlib import Path

import benchkit as bk

AGGREGATED = Path(__file__).parents[2] / "fixtures" / "vegeta-edge" / "aggregated.md"


def test_parts_of_a_load_test_do_not_count_as_repeats(tmp_path: Path) -> None:
    text = AGGREGATED.read_text(encoding="utf-8")
    (tmp_path / "base.md").write_text(text, encoding="utf-8")
    (tmp_path / "new.md").write_text(text.replace("1.949ms", "2.949ms"), encoding="utf-8")
    loaded = bk.load(tmp_path / "base.md", tmp_path / "new.md")
    roles = loaded.runs.groupby("variant")["role"].agg(list)
    assert roles.to_dict() == {name: ["measured"] + ["part"] * 3 for name in ("base", "new")}
    (row,) = loaded.compare(baseline="base").frame.query("primary").itertuples()
    assert (row.metric, row.n_baseline, row.n_variant) == ("latency", 1, 1)
