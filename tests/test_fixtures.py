"""Fixtures are real files: each scenario states its origin, and stays small."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
SCENARIOS = sorted(path for path in FIXTURES.iterdir() if path.is_dir())
REQUIRED = {"origin", "tools", "commands", "machine", "licence", "edits", "synthetic"}
MAX_BYTES = 1_500_000


def name_of(path: Path) -> str:
    return path.relative_to(FIXTURES).as_posix()


def test_scenarios_exist_and_contain_all_files() -> None:
    assert SCENARIOS
    assert [path.name for path in FIXTURES.iterdir() if path.is_file()] == []


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_each_scenario_states_its_origin(scenario: Path) -> None:
    with (scenario / "PROVENANCE.toml").open("rb") as file:
        provenance = tomllib.load(file)
    assert set(provenance) >= REQUIRED
    assert all(provenance[key] for key in REQUIRED - {"synthetic"})
    assert re.search(r"\b20\d\d-\d\d-\d\d\b", provenance["origin"])
    assert isinstance(provenance["synthetic"], bool)
    assert provenance["licence"] == "Apache-2.0"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_patterns_of_other_files_match(scenario: Path) -> None:
    with (scenario / "PROVENANCE.toml").open("rb") as file:
        patterns = tomllib.load(file).get("not_results", [])
    assert all(any(scenario.rglob(pattern)) for pattern in patterns)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_no_fixture_is_large(scenario: Path) -> None:
    files = [path for path in scenario.rglob("*") if path.is_file()]
    assert len(files) > 1
    assert [name_of(path) for path in files if path.stat().st_size > MAX_BYTES] == []
