"""Texts in tables of a sidecar: a date is read as written, a non-text value costs only itself."""

from __future__ import annotations

import pytest

from benchkit.labels.run_toml import Sidecar, read_sidecar


def test_date_in_place_of_a_text_is_read_as_written() -> None:
    text = 'variant = 2026-01-02\n[env]\ncommit = "c861e65"\ndate = 2026-01-02T03:04:05Z'
    env = {"commit": "c861e65", "date": "2026-01-02T03:04:05Z"}
    assert read_sidecar(text, "run.toml") == (Sidecar(variant="2026-01-02", env=env), [])


@pytest.mark.parametrize("value", ["{b = 1}", "[[1]]"])
@pytest.mark.parametrize("table", ["env", "params"])
def test_non_text_entry_costs_only_itself(table: str, value: str) -> None:
    sidecar, (problem,) = read_sidecar(f"[{table}]\nsize = 3\na = {value}\n", "run.toml")
    assert getattr(sidecar, table) == {"size": "3"}
    assert problem.where == "run.toml:3"
    assert problem.what == f"[{table}] a = … is ignored: it must be a string"
