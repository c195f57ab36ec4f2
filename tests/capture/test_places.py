"""`ingest` reads the labels of a session back from the names of its files."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.capture.places import Places, find_tool
from benchkit.errors import ConfigError
from benchkit.labels.patterns import read_path
from benchkit.labels.stems import ToolNames
from benchkit.labels.walk import walk
from benchkit.parsers import registry

WRK = ["wrk", "-c8", "http://127.0.0.1/"]


def choose(places: Places, words: list[str], variant: str = "", benchmark: str = "") -> str:
    with places.claim(words, variant, benchmark, is_warmup=False) as claim:
        return claim.stem.relative_to(places.root).as_posix()


@pytest.mark.parametrize(
    ("words", "tool"),
    [
        (WRK, "wrk"),
        (["taskset", "-c", "1", "/opt/wrk2/wrk2", "-R100"], "wrk2"),
        (["docker", "run", "--rm", "grafana/k6", "run", "-"], "k6"),
        (["sh", "-c", "echo GET http://h/ | vegeta attack | vegeta report"], "vegeta"),
        (["go", "test", "-bench=."], "gobench"),
        (["./bench.sh", "about-wrk-and-ab"], ""),
    ],
)
def test_tool_is_inferred_from_the_command(words: list[str], tool: str) -> None:
    assert find_tool(words) == tool


def test_file_names_follow_the_known_layouts(tmp_path: Path) -> None:
    places = Places(tmp_path)
    assert choose(places, WRK) == "wrk-1"
    assert choose(places, WRK, "otlp") == "otlp/wrk-1"
    assert choose(places, WRK, "otlp") == "otlp/wrk-2"
    assert choose(places, WRK, "otlp", "/ping/GRM") == "otlp/wrk-ping_GRM-1"
    assert choose(places, ["make", "bench"], "otlp", "/ping") == "otlp/1"
    with places.claim(WRK, "otlp", "", is_warmup=True) as claim:
        assert (claim.stem.name, claim.run) == ("wrk-warmup-1", 1)


def test_new_run_continues_the_numbering_of_existing_files(tmp_path: Path) -> None:
    for name, text in {
        "otlp/wrk-1.txt": "made by hand",
        "otlp/wrk-2.txt": "captured",
        "otlp/docker-stats-wrk-3.json": "recorded by hand",
        "otlp/wrk-2.txt.run.toml": 'variant = "otlp"\nrun = 2\nblock = 4',
        "none/9.txt.run.toml": b"\xff".decode("latin-1"),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="latin-1")
    places = Places(tmp_path)
    assert places.last_block == 4
    with places.claim(WRK, "otlp", "", is_warmup=False) as claim:
        assert (claim.stem, claim.run) == (tmp_path / "otlp/wrk-4", 4)


@pytest.mark.parametrize(
    "variant",
    ["a/b", "../up", ".hidden", "..", "node_modules", "cadvisor-metrics-1", "1", "A b", "µ", ""],
)
def test_any_variant_stays_inside_the_folder_and_is_read_back(tmp_path: Path, variant: str) -> None:
    with Places(tmp_path / "out").claim(WRK, variant, "", is_warmup=False) as claim:
        stem = claim.stem
    assert stem.resolve().is_relative_to(tmp_path / "out")
    path = stem.with_name(stem.name + ".txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert [*walk(tmp_path / "out")] == [path]
    labels = read_path(
        PurePosixPath(path.relative_to(tmp_path / "out")),
        tools=ToolNames(registry.tools()),
        root_name="out",
    )
    assert (labels.group, labels.series, labels.run) == ("", "", 1)


@given(st.text(max_size=12), st.sampled_from(["c20", "text", "warmup", "7", "v13", "a-3-b", "x"]))
def test_benchmark_in_a_name_gives_no_other_label(text: str, word: str) -> None:
    for benchmark in (text, word, f"{text}-{word}"):
        with (
            TemporaryDirectory() as root,
            Places(Path(root)).claim(WRK, "v", benchmark, is_warmup=False) as claim,
        ):
            stem, run = claim.stem, claim.run
        labels = read_path(
            f"v/{stem.name}.txt", tools=ToolNames(registry.tools()), root_name="nowhere"
        )
        assert (labels.variant, labels.run, labels.role) == ("v", run, "measured")
        assert (labels.params, labels.form, labels.group) == ((), "", "")


@pytest.mark.parametrize("is_there", [True, False])
def test_runs_are_not_written_through_a_planted_link(tmp_path: Path, is_there: bool) -> None:
    if is_there:
        (tmp_path / "home").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "results/none").symlink_to(tmp_path / "home")
    with pytest.raises(ConfigError, match="is a link to another folder"):
        choose(Places(tmp_path / "results"), WRK, "none")
    assert not list(tmp_path.glob("home/*"))


def test_planted_sidecars_do_not_affect_run_numbers(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    planted = 'variant = "none"\nrun = 9223372036854775807\nblock = 9223372036854775807\n'
    (tmp_path / "none/a.txt.run.toml").write_text(planted)
    with (tmp_path / "none/b.txt.run.toml").open("wb") as large:
        large.truncate(1 << 40)
    (tmp_path / "none/c.txt.run.toml").symlink_to("c.txt.run.toml")
    (tmp_path / "none/d.txt.run.toml").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "none/e.txt.run.toml")
    places = Places(tmp_path)
    assert (choose(places, WRK, "none"), places.last_block) == ("none/wrk-1", 0)
