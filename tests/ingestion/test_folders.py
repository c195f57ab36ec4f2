"""Files and folders that should contain results but gave none."""

from __future__ import annotations

import gzip
import os
import socket
from collections.abc import Callable
from pathlib import Path

import gated
import pytest

import benchkit as bk
from benchkit.cli import run
from benchkit.errors import ConfigError
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for seed, name in enumerate(("main", "pr"), 1):
        gated.write_runs(tmp_path / "results" / name / "1.txt", seed=seed)
    (tmp_path / "results" / "new").mkdir()
    return tmp_path / "results"


def list_empty(runs: bk.schema.Runs) -> list[str]:
    return [str(name) for name in runs.loc[runs["role"] == "empty", "variant"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [("", ""), (".gitkeep", ""), ("run.toml", "exit = 1\n"), ("output.txt", "Killed\n")],
)
def test_folder_without_results_next_to_variants_is_a_lost_variant(
    results: Path, name: str, text: str
) -> None:
    if name:
        (results / "new" / name).write_text(text)
    loaded = bk.load(results)
    assert list_empty(loaded.runs) == ["new"]
    assert [d.what for d in loaded.diagnostics if d.where.endswith("new")] == [
        "this variant's folder contains no result"
    ]


@pytest.mark.parametrize(
    ("place", "empty", "lost"),
    [
        ("pr/run{}", "pr/run4", ["pr"]),
        ("pr_{}", "pr_4", ["pr"]),
        ("{}/pr", "4", ["main", "pr"]),
    ],
)
def test_empty_folder_of_a_run_is_a_lost_run(
    tmp_path: Path, place: str, empty: str, lost: list[str]
) -> None:
    for seed in range(1, 4):
        for shift, variant in enumerate(("main", "pr")):
            folder = tmp_path / place.replace("pr", variant).format(seed)
            gated.write_runs(folder / "bench.txt", seed=seed + 9 * shift)
    (tmp_path / empty).mkdir()
    loaded = bk.load(tmp_path)
    assert list_empty(loaded.runs) == lost
    hints = [d.hint for d in loaded.diagnostics if "no result" in d.what]
    assert hints == [f"measure it again, or pass --exclude {empty}"]
    assert loaded.compare().gate().exit_code == 3


@pytest.mark.parametrize("again", ["results", "results/new", "new=results/new"])
def test_folder_that_is_no_longer_empty_is_not_lost(
    results: Path, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(results.parent)
    for _ in range(2):
        ingest(["results"], Store("s"))
        assert list_empty(bk.load("s").runs) == ["new"]
    gated.write_runs(results / "new" / "1.txt", seed=3)
    ingest([again], Store("s"))
    loaded = bk.load("s")
    assert list_empty(loaded.runs) == []
    assert set(loaded.runs["variant"]) == {"main", "pr", "new"}


def test_deleted_empty_folder_is_not_lost(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(results.parent)
    ingest(["results"], Store("s"))
    (results / "new").rmdir()
    ingest(["results"], Store("s"))
    assert list_empty(bk.load("s").runs) == []


@pytest.mark.parametrize("name", ["throughput.svg", "run.sh"])
def test_folder_of_plots_or_scripts_is_not_a_variant(results: Path, name: str) -> None:
    (results / "new" / name).write_text("")
    assert list_empty(bk.load(results).runs) == []


@pytest.mark.parametrize("store", [".benchkit", "db"])
def test_store_is_not_a_variant_folder(
    store: str, results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (results / "new").rmdir()
    monkeypatch.chdir(results)
    for _ in range(2):
        assert run(["ingest", ".", "--store", store]) == 0
        assert "this variant's folder contains no result" not in capsys.readouterr().err
        assert set(bk.load(store=store).runs["variant"]) == {"main", "pr"}


def test_excluded_folder_is_not_a_variant(results: Path, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    ingest([str(results)], store, Options(exclude=("new",)))
    assert list_empty(bk.load(store=store.url).runs) == []


@pytest.mark.parametrize("write", [str, "fresh={}".format])
def test_empty_folder_named_among_others_is_a_lost_variant(
    results: Path, write: Callable[[Path], str]
) -> None:
    runs = bk.load(results / "main", results / "pr", write(results / "new")).runs
    assert list_empty(runs) == ["fresh" if "fresh" in write(Path()) else "new"]


def test_store_forgets_a_lost_folder_that_is_deleted(results: Path, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    assert ingest([str(results)], store).runs == 40
    for _ in range(2):
        assert list_empty(bk.load(store=store.url).runs) == ["new"]
        ingest([str(results)], store)
    (results / "new").rmdir()
    gated.write_runs(results / "pr" / "2.txt", seed=9)
    ingest([str(results)], store)
    assert list_empty(bk.load(store=store.url).runs) == []


def test_raw_files_have_no_origin(results: Path) -> None:
    with pytest.raises(ConfigError, match="--origin: needs a store"):
        bk.load(results, origin="github/71")


def list_damaged(runs: bk.schema.Runs) -> list[str]:
    damaged = runs.loc[runs["role"] == "damaged", "sources"]
    return [Path(source["path"]).name for sources in damaged for source in sources]


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def link_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize("make", [Path.touch, link_nowhere, os.mkfifo, bind])
def test_unreadable_file_is_damage_only_if_it_is_named_like_results(
    tmp_path: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    for seed, name in enumerate(("main", "pr")):
        gated.write_runs(Path(f"{name}.txt"), seed=seed)
    names = ["lost.txt", "notes.log", "errors.txt"]
    for name in names:
        make(Path(name))
    loaded = bk.load(".")
    assert loaded.variants == ["main", "pr"]
    assert list_damaged(loaded.runs) == ["lost.txt"]
    assert {problem.path for problem in loaded.diagnostics} == set(names)
    assert {report.outcome for report in loaded.reports if report.label in names} == {"refused"}


def test_file_without_a_result_is_damage_only_if_numbered_like_results(
    results: Path,
) -> None:
    for name in ("bench-1.txt", "bench-2.txt"):
        gated.write_runs(results / "pr" / name, seed=8)
    for name in ("bench-3.txt", "bench.txt", "stderr-1.txt", "day-1.log"):
        (results / "pr" / name).write_text("Killed\n")
    assert list_damaged(bk.load(results).runs) == ["bench-3.txt"]


@pytest.mark.parametrize("is_first", [False, True])
def test_packed_file_matches_the_names_of_unpacked_ones(results: Path, *, is_first: bool) -> None:
    for name in ("bench-1.txt", "bench-2.txt"):
        gated.write_runs(results / "pr" / name, seed=8 + int(name[6]))
    if is_first:
        whole = results / "pr" / "bench-1.txt"
        whole.with_name("bench-1.txt.gz").write_bytes(gzip.compress(whole.read_bytes()))
        whole.unlink()
        (results / "pr" / "bench-3.txt").touch()
        assert list_damaged(bk.load(results).runs) == ["bench-3.txt"]
    else:
        torn = gzip.compress(b"Running 10s test @ http://h/x\n")[:20]
        (results / "pr" / "bench-3.txt.gz").write_bytes(torn)
        assert list_damaged(bk.load(results).runs) == ["bench-3.txt.gz"]


def test_file_without_permission_is_damage(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = str(gated.write_runs(results / "pr" / "2.txt", seed=9))
    opened = os.open

    def refuse(path: str | Path, *rest: int) -> int:
        if str(path) == refused:
            raise PermissionError(13, "Permission denied")
        return opened(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    loaded = bk.load(results)
    assert list_damaged(loaded.runs) == ["2.txt"]
    (problem_text,) = [problem.what for problem in loaded.diagnostics if problem.path == refused]
    assert problem_text == "cannot be read: Permission denied"


@pytest.mark.parametrize(("name", "damaged"), [("run3", ["run3"]), ("private", [])])
def test_folder_without_permission_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, damaged: list[str]
) -> None:
    hidden = str(tmp_path / "pr" / name)
    for seed, folder in enumerate(("main/run1", "main/run2", "pr/run1", f"pr/{name}"), 5):
        gated.write_runs(tmp_path / folder / "bench.txt", seed=seed)
    for function in ("scandir", "listdir"):
        listed = getattr(os, function)

        def refuse(path: str | Path, listed: Callable[..., object] = listed) -> object:
            if str(path) == hidden:
                raise PermissionError(13, "Permission denied")
            return listed(path)

        monkeypatch.setattr(os, function, refuse)
    loaded = bk.load(tmp_path)
    assert [problem.what for problem in loaded.diagnostics if problem.path == hidden] == [
        "cannot be read: Permission denied"
    ]
    assert list_damaged(loaded.runs) == damaged


def test_dangling_link_of_a_stored_file_keeps_its_runs(results: Path, tmp_path: Path) -> None:
    """As git-annex and DVC leave them after dropping a file's content."""
    store = Store(str(tmp_path / "store"))
    path = results / "pr" / "1.txt"
    (tmp_path / ".dvc" / "cache").mkdir(parents=True)
    content = path.rename(tmp_path / ".dvc" / "cache" / "content")
    path.symlink_to(content)
    ingest([str(results)], store)
    content.unlink()
    summary = ingest([str(results)], store)
    assert [finding.code for finding in summary.findings] == ["B110"]
    runs = bk.load(store=store.url).runs
    assert list_damaged(runs) == []
    assert set(runs.loc[runs["role"] == "measured", "variant"]) == {"main", "pr"}


def test_link_out_of_the_folder_is_refused_and_its_content_not_shown(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    secret = tmp_path / ".env"
    secret.write_text("c0ffee = 'c0ffee'\n", encoding="utf-8")
    for name in ("3.txt", "run.toml"):
        (results / "pr" / name).symlink_to(secret)
    (results / "pr" / "deep").symlink_to("/")
    assert run(["runs", str(results)]) == 0
    streams = capsys.readouterr()
    shown = streams.out + streams.err
    assert "a link to outside the folder; if the link's target is a result" in shown
    assert "(and 1 more" in shown
    sidecar = "run.toml: cannot read the sidecar: a link to outside the folder; all its labels"
    assert f"{sidecar} are ignored, and its runs count as damaged" in shown
    assert "c0ffee" not in shown


def test_secrets_in_the_name_of_a_limited_container_are_masked(results: Path) -> None:
    lines = ["[limits]", '"a?token=c0ffee" = {cpu = 2}', "[env]", '"b?token=c0ffee" = "1"', ""]
    (results / "pr" / "run.toml").write_text("\n".join(lines), encoding="utf-8")
    (results / "containers.json").write_text('{"c?token=c0ffee": "server"}', encoding="utf-8")
    names = {name for env in bk.load(results).runs["env"] for name in env}
    mark = "…2739d1b51955"
    assert {f"limit.a?token={mark}.cpu", f"b?token={mark}", f"name.c?token={mark}"} <= names


GO = "goos: linux\ngoarch: amd64\npkg: p\n" + "BenchmarkA-8 \t100\t10.5 ns/op\n" * 6
ENDED = GO + "PASS\nok  \tp\t1.234s\n"


@pytest.mark.parametrize(
    ("main", "pr", "roles"),
    [
        (ENDED, GO, {"measured", "damaged"}),
        (ENDED, GO + "context canceled\n", {"measured", "damaged"}),
        (ENDED, ENDED, {"measured"}),
        (GO, GO.replace("10.5", "10.6"), {"measured"}),
        (ENDED, GO + "```\n", {"measured"}),
        (ENDED, GO.partition("pkg: p\n")[2], {"measured"}),
    ],
)
def test_go_test_output_without_its_end_is_damage_next_to_a_complete_one(
    tmp_path: Path, main: str, pr: str, roles: set[str]
) -> None:
    for name, text in (("main", main), ("pr", pr)):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    store = Store(str(tmp_path / "store"))
    for _ in range(2):
        ingest([str(tmp_path / "main.txt"), str(tmp_path / "pr.txt")], store)
    runs = bk.load(tmp_path / "store").runs
    assert set(runs["role"]) == roles
    assert set(runs.loc[runs["role"] == "damaged", "variant"]) <= {"pr"}


@pytest.mark.parametrize(
    ("addresses", "names", "is_damage"),
    [
        (["main={}", "pr={}"], ("a/main.txt", "b/pr.log"), True),
        (["{}", "{}"], ("main/go.txt", "pr/go.txt"), True),
        (["{}", "{}"], ("a/main.txt", "b/pr.log"), False),
    ],
)
def test_other_side_shows_whether_an_output_is_truncated(
    tmp_path: Path, addresses: list[str], names: tuple[str, str], is_damage: bool
) -> None:
    paths = [tmp_path / name for name in names]
    for path, text in zip(paths, (ENDED, GO), strict=True):
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
    store = Store(str(tmp_path / "store"))
    ingest([each.format(path) for each, path in zip(addresses, paths, strict=True)], store)
    assert ("damaged" in set(bk.load(tmp_path / "store").runs["role"])) is is_damage
