"""Settings are strict about their keys and exact about their values."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchkit import config
from benchkit.errors import ConfigError


def test_defaults_apply_without_a_file(tmp_path: Path) -> None:
    assert config.load(tmp_path) == config.Settings()


def test_benchkit_toml_takes_precedence_over_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.benchkit.stats]\nmargin = '5%'\n")
    assert config.load(tmp_path).margin == 0.05
    (tmp_path / "benchkit.toml").write_text("schema = 1\n[stats]\nmargin = 0.01\n")
    assert config.load(tmp_path).margin == 0.01


def test_every_setting_can_be_set(tmp_path: Path) -> None:
    (tmp_path / "benchkit.toml").write_text(
        "[project]\ntitle = 'T'\nbaseline = 'none'\n"
        "[ingest]\nlayout = '{variant}.txt'\nrename = ['s#a#b#']\nexclude = ['*.log']\n"
        "[stats]\nmetrics = ['latency.p50']\nconfidence = 0.99\nmargin = '2%'\nblocks = 'auto'\n"
        "method = 'rank'\n"
    )
    assert config.load(tmp_path) == config.Settings(
        title="T",
        baseline="none",
        layout="{variant}.txt",
        rename=("s#a#b#",),
        exclude=("*.log",),
        metrics=("latency.p50",),
        confidence=0.99,
        margin=0.02,
        blocks="auto",
        method="rank",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[stat]\nmargin = 1", "did you mean 'stats'?"),
        ("[stats]\nmargins = '3%'", "did you mean 'margin'?"),
        ("[stats]\nmargin = '300%'", "not a share between 0 and 1"),
        ("[stats]\nmargin = true", "not a number"),
        ("[stats]\nblocks = 'always'", "use auto, never"),
        ("[stats]\nmethod = 'student'", "use auto, rank, welch, history"),
        ("[project]\ntitle = 3", "not a string"),
        ("[ingest]\nrename = 'x'", "not a list of strings"),
        ("schema = 2", "unknown schema 2"),
        ("project = 3", "not a table"),
        ("[stats]\nconfidence = 0.9999999999999999", "above 0.999999"),
        ("[stats]\nconfidence = '99.99999999%'", "above 0.999999"),
        ("[stats]\nconfidence = 1", "not a share between 0 and 1"),
        ("[stats", "not valid TOML"),
    ],
)
def test_invalid_setting_is_named_with_the_remedy(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "benchkit.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"benchkit\.toml") as refused:
        config.load(tmp_path)
    assert message in str(refused.value)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/nowhere")])
def test_unreadable_object_in_place_of_the_file_is_an_error(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "benchkit.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(tmp_path)
