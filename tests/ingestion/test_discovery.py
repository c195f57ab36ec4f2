"""Files, folders, label=path and standard input become sources with labels."""

from __future__ import annotations

import io
import shutil
import sys
from itertools import product
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.errors import ConfigError, DataError
from benchkit.ingestion.addresses import split_label
from benchkit.ingestion.discovery import Options, discover
from benchkit.ingestion.sources import Found

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BENCH = "BenchmarkPing-2 \t 100 \t 12.5 ns/op\n"


def find(*arguments: str, **options: object) -> list[Found]:
    return discover(arguments, Options(**options)).found  # type: ignore[arg-type]


def variants(sources: list[Found]) -> list[str]:
    return [source.variant or source.labels.variant for source in sources]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("old/bench.txt", "new/bench.txt", "old.txt", "new.txt", "notes.md", "x=y.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(BENCH)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("tree")
def test_each_named_file_is_a_variant() -> None:
    assert variants(find("old.txt", "new.txt")) == ["old", "new"]


@pytest.mark.usefixtures("tree")
def test_label_takes_precedence_over_the_name() -> None:
    assert variants(find("base=old.txt", "otel=new.txt")) == ["base", "otel"]


@pytest.mark.usefixtures("tree")
def test_named_sidecars_are_applied_but_are_not_results() -> None:
    """A shell's ``*`` matches the sidecars of captured results, too."""
    for sidecar in ("old.txt.run.toml", "run.toml"):
        Path(sidecar).write_text("position = 1\n")
    named = discover(["new.txt", "old.txt", "old.txt.run.toml", "run.toml"], Options())
    assert variants(named.found) == ["new", "old"]
    assert named.skipped == [(name, "a sidecar") for name in ("old.txt.run.toml", "run.toml")]
    Path("runs.json").write_text(BENCH)  # a result, whatever its name
    assert variants(find("old.txt", "runs.json")) == ["old", "runs"]
    assert variants(find("run.toml")) == ["run"]  # which is refused when it is read


@pytest.mark.usefixtures("tree")
def test_equal_names_become_the_shortest_distinct_paths() -> None:
    assert variants(find("old/bench.txt", "new/bench.txt")) == ["old/bench.txt", "new/bench.txt"]


#: Files of one folder, each with its variant, benchmark and run.
NAMED = {
    "numbers that begin above 1": "jdk-17.txt:jdk-17 jdk-21.txt:jdk-21 base.txt:base",
    "two numbers alone": "jdk-17.txt:jdk-17 jdk-21.txt:jdk-21",
    "a tool's numbers": "wrk-stage-2.txt:stage-2 wrk-stage-3.txt:stage-3",
    "runs": "none-1.txt:none:1 none-2.txt:none:2 otlp-1.txt:otlp:1 otlp-2.txt:otlp:2",
    "counted stems": "run1.txt:results:1 run2.txt:results:2 run3.txt:results:3",
    "moments": "a-20240101.txt:a:1 a-20240102.txt:a:2 b_2024-01-01.txt:b:1",
    "forms": "none.json:none none-summary.json:none otlp.json:otlp",
    "roles": "none.txt:none warmup.txt:results otlp.txt:otlp",
    "numbers alone": "8.txt:8 16.txt:16 64.txt:64",
    "two files": "run1.txt:run1 run2.txt:run2",
    "two words": "none.txt:none none-warmup.txt:none-warmup",
    "a moment alone": "none-20240101-113229.txt:none:1",
    "a counted word alone": "none_run2.txt:none:2",
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("folder", ["", "results/"])
def test_files_named_one_by_one_are_read_like_their_folder(
    name: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = dict(word.split(":", 1) for word in NAMED[name].split())
    (tmp_path / "results").mkdir()
    for file in expected:
        (tmp_path / "results" / file).write_text(BENCH)
    monkeypatch.chdir(tmp_path if folder else tmp_path / "results")
    sources = find(*(f"{folder}{file}" for file in expected))
    runs = (str(source.labels.run or "") for source in sources)
    shown = zip(variants(sources), runs, strict=True)
    assert [":".join(filter(None, words)) for words in shown] == list(expected.values())


#: Arguments, their files, and the group, variant, benchmark and run of each.
TOGETHER = {
    "files of two sides": "main/large.txt main/small.txt pr/large.txt pr/small.txt: "
    "main/large main/small pr/large pr/small",
    "folders of two sides": "main pr: main/large main/small pr/large pr/small",
    "folders of groups": "eu us: eu:none eu:otlp us:none us:otlp",
    "folders of runs": "run1 run2: none/1 otlp/1 none/2 otlp/2",
    "runs in a folder each": "run1/none.txt run2/none.txt run3/none.txt: none/1 none/2 none/3",
    "two files": "run1/none.txt run2/none.txt: run1/none.txt run2/none.txt",
    "a file in a folder each": "a/jdk-17.txt b/jdk-21.txt: jdk-17 jdk-21",
    "a moment in a folder each": "a/none_20240101.txt b/none_20240102.txt: "
    "none_20240101 none_20240102",
    "sides far apart": "x/y/old z/new: old/1 old/2 new/1 new/2",
}
_HELD = {
    "main": ["large", "small"],
    "pr": ["large", "small"],
    "eu": ["none", "otlp"],
    "us": ["none", "otlp"],
    "run1": ["none", "otlp"],
    "run2": ["none", "otlp"],
    "x/y/old": ["1", "2"],
    "z/new": ["1", "2"],
}


@pytest.mark.parametrize("name", TOGETHER)
def test_files_and_folders_named_together_are_one_tree(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, _, expected = TOGETHER[name].partition(": ")
    monkeypatch.chdir(tmp_path)
    for argument in named.split():
        folder = Path(argument)
        files = [folder / f"{each}.txt" for each in _HELD.get(argument, ())] or [folder]
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(BENCH)
    shown = [
        (f"{labels.group}:" if labels.group else "")
        + "/".join(filter(None, (source.variant or labels.variant, labels.benchmark)))
        + (f"/{labels.run}" if labels.run else "")
        for source in find(*named.split())
        for labels in [source.labels]
    ]
    assert shown == expected.split()


#: Sibling folders, the files in each, and the benchmarks of each side in their groups.
SIDES = {
    "flat": ("v1 v2", "get_1.txt get_2.txt put_1.txt", "get get put"),
    "one name": ("v1 v2", "wrk-1.txt wrk-2.txt", "- -"),
    "numbers": ("v1 v2", "1.txt 2.txt", "- -"),
    "one deep": ("v1 v2", "users/wrk-1.txt orders/wrk-1.txt", "orders: users:"),
    "two deep": ("v1 v2", "eu/users/wrk-1.txt eu/orders/wrk-1.txt", "eu/orders: eu/users:"),
    "a mixture": ("v1 v2", "get.txt users/put.txt", "get users:put"),
    "folders far apart": ("a/x/v1 b/v2", "get.txt put.txt", "get put"),
    "folders of one name": ("v1/out v2/out", "get.txt put.txt", "get put"),
    "three": ("v1 v2 v3", "get.txt put.txt", "get put"),
    "days": ("2026-10-01 2026-11-01", "get.txt put.txt", "get put"),
    "levels": ("v1 v2", "c_10.txt c_50.txt", "c_10 c_50"),
}


@pytest.mark.parametrize("name", SIDES)
def test_sibling_folders_are_the_sides(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders, files, expected = (words.split(" ") for words in SIDES[name])
    for folder, file in product(folders, files):
        path = Path(folder, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BENCH)
    discovery = discover(folders, Options())
    sides: dict[str, list[str]] = {}
    for source in discovery.found:
        labels = source.labels
        group = f"{labels.group}:" if labels.group else ""
        sides.setdefault(labels.variant, []).append(f"{group}{labels.benchmark}" or "-")
    assert sides == {
        folder.split("/")[-1].replace("out", folder[:2]): expected for folder in folders
    }
    assert discovery.is_ordered


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("day1/old.txt day1/new.txt", "day2/old.txt day2/new.txt"),
        ("eu/none.txt eu/otlp.txt", "us/none.txt us/otlp.txt"),
        ("run1/get.txt run1/put.txt", "run2/get.txt run2/put.txt"),
        ("wrk/get.txt wrk/put.txt", "k6/login.txt k6/home.txt"),
    ],
)
def test_folders_of_sides_runs_or_different_tests_are_not_sides(
    first: str, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in map(Path, f"{first} {second}".split()):
        path.parent.mkdir(exist_ok=True)
        path.write_text(BENCH)
    folders = [files.partition("/")[0] for files in (first, second)]
    discovery = discover(folders, Options())
    assert {source.labels.variant for source in discovery.found}.isdisjoint(folders)
    assert not discovery.is_ordered


def test_numbers_of_files_in_separate_folders_are_read_together(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "jdk-17.txt", tmp_path / "b" / "jdk-21.txt", tmp_path / "go-1.txt"]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(BENCH)
    assert variants(find(*map(str, paths))) == ["jdk-17", "jdk-21", "go"]


@pytest.mark.usefixtures("tree")
def test_path_with_an_equals_sign_is_a_path() -> None:
    assert split_label("x=y.txt") == ("", "x=y.txt")
    assert [source.label for source in find("x=y.txt")] == ["x=y.txt"]


@pytest.mark.usefixtures("tree")
def test_label_may_contain_an_equals_sign_before_an_existing_path() -> None:
    assert split_label("spans=4=notes.md") == ("spans=4", "notes.md")
    assert split_label("new=x=y.txt") == ("new", "x=y.txt")
    assert split_label("spans=4=gone.md") == ("spans", "4=gone.md")


@pytest.mark.usefixtures("tree")
def test_documents_are_skipped_unless_named() -> None:
    discovery = discover(["."], Options())
    assert [path for path, _ in discovery.skipped] == ["notes.md"]
    assert [source.label for source in find("notes.md")] == ["notes.md"]


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(BENCH.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    (source,) = find("none=-")
    assert source.variant == "none"
    assert list(source.load().lines()) == [(1, BENCH.rstrip("\n"))]


def test_missing_path_is_an_error() -> None:
    with pytest.raises(DataError, match="no such file"):
        find("nowhere.txt")


def test_malformed_layout_is_an_error() -> None:
    with pytest.raises(ConfigError):
        find(".", layout="{variant")


@pytest.mark.usefixtures("tree")
def test_layout_without_a_match_is_refused_with_files_and_an_example() -> None:
    with pytest.raises(ConfigError) as error:
        find(".", layout="{variant}/{run}.json")
    assert error.value.exit_code == 2
    assert "does not match new/bench.txt and new.txt, the first of 5 files" in str(error.value)
    assert error.value.hint == "expected paths that end like variant/1.json"


@pytest.mark.usefixtures("tree")
def test_layout_that_matches_some_files_is_used() -> None:
    labels = [source.labels for source in find(".", layout="{variant}/bench.txt")]
    assert [label.by_layout for label in labels] == [True, False, True, False, False]


def test_folders_below_a_labelled_folder_become_groups_with_a_note(tmp_path: Path) -> None:
    for place in ("go1.21/1.txt", "go1.22/1.txt"):
        path = tmp_path / "old" / place
        path.parent.mkdir(parents=True)
        path.write_text(BENCH)
    for discovery in (
        discover([f"main={tmp_path / 'old'}"], Options()),
        discover([str(tmp_path / "old")], Options(variant="main")),
    ):
        assert [source.labels.group for source in discovery.found] == ["go1.21", "go1.22"]
        (note,) = discovery.diagnostics
        assert "the folders go1.21, go1.22 count as groups" in str(note)


@pytest.mark.parametrize(
    ("declared", "groups"),
    [
        (["run.toml"], ["exp/off", "exp/off", "exp/on"]),
        (["exp/run.toml"], ["exp/off", "exp/off", "exp/on"]),
        (["exp/off/run.toml", "exp/on/run.toml"], ["exp", "exp", "exp"]),
    ],
)
def test_folders_below_one_declared_variant_become_groups(
    tmp_path: Path, declared: list[str], groups: list[str]
) -> None:
    for place in ("exp/off/1.txt", "exp/off/2.txt", "exp/on/1.txt"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BENCH)
    for place in declared:
        (tmp_path / place).write_text('variant = "x"')
    discovery = discover([str(tmp_path)], Options())
    assert {source.sidecar.variant for source in discovery.found} == {"x"}
    assert [source.labels.group for source in discovery.found] == groups
    notes = [str(note) for note in discovery.diagnostics]
    assert ["the folders exp/off, exp/on count as groups" in note for note in notes] == (
        [True] if "exp/off" in groups else []
    )


@pytest.mark.usefixtures("tree")
def test_result_pages_are_read_if_a_folder_holds_nothing_else() -> None:
    Path("pages").mkdir()
    Path("pages/a.md").write_text(BENCH)
    Path("pages/notes.md").write_text("Nothing that any tool wrote.\n")
    discovery = discover(["pages"], Options())
    assert [source.label for source in discovery.found] == ["pages/a.md"]
    assert ("pages/notes.md", "a document") in discovery.skipped
    Path("pages/none.txt").write_text(BENCH)
    assert [source.label for source in discover(["pages"], Options()).found] == ["pages/none.txt"]


@pytest.mark.usefixtures("tree")
def test_folder_of_documents_reports_what_it_skipped_and_how_to_read_it() -> None:
    Path("pages").mkdir()
    for name in ("a.md", "b.md"):
        Path("pages", name).write_text("Nothing that any tool wrote.\n")
    with pytest.raises(
        DataError, match=r"skipped: pages/\w.md \(a document\) and 1 more"
    ) as refused:
        discover(["pages"], Options())
    assert str(refused.value.hint).startswith(
        "to read such a file anyway, name it, for example pages/"
    )


@pytest.mark.parametrize("stem", ["{}-1.txt", "wrk-{}-1.txt"])
@pytest.mark.parametrize("arguments", [["."], ["x", "y"], ["each file"]])
def test_files_below_a_sidecar_with_a_variant_are_benchmarks(
    stem: str, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, variant in (("x", "otlp"), ("y", "zipkin")):
        Path(folder).mkdir()
        Path(folder, "run.toml").write_text(f'variant = "{variant}"\n')
        for name in ("login", "main"):
            Path(folder, stem.format(name)).write_text(BENCH)
    files = sorted(map(str, Path().glob("*/*.txt")))
    sources = find(*(files if arguments == ["each file"] else arguments))
    rows = [
        (source.labels.group, source.sidecar.variant, source.labels.benchmark) for source in sources
    ]
    assert rows == [
        ("", variant, name) for variant in ("otlp", "zipkin") for name in ("login", "main")
    ]


#: Arguments with one label for several folders or files, with their groups and benchmarks.
LABELLED = {
    "folders": (["a=get/x", "a=post/x", "b=get/y", "b=post/y"], {("get", ""), ("post", "")}),
    "files of a folder each": (
        ["a=get/x/1.txt", "a=post/x/1.txt", "b=get/y/1.txt", "b=post/y/1.txt"],
        {("get", ""), ("post", "")},
    ),
    "files with the label": (
        ["a=a_get_1.txt", "a=a_post_1.txt", "b=b_get_1.txt", "b=b_post_1.txt"],
        {("", "get"), ("", "post")},
    ),
}


@pytest.mark.parametrize("name", LABELLED)
def test_folders_and_files_with_one_label_are_distinguished(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, expected = LABELLED[name]
    monkeypatch.chdir(tmp_path)
    for path in (argument.partition("=")[2] for argument in arguments):
        file = Path(path) if path.endswith(".txt") else Path(path, "1.txt")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(BENCH)
    by_label = {
        label: {
            (s.labels.group, s.labels.benchmark) for s in find(*arguments) if s.variant == label
        }
        for label in ("a", "b")
    }
    assert by_label == {"a": expected, "b": expected}


def test_link_next_to_a_folder_does_not_rename_it(tmp_path: Path) -> None:
    """`latest` comes before the folder that it links to."""
    for variant in ("none", "otlp"):
        shutil.copytree(FIXTURES / "tracing-wrk" / variant, tmp_path / variant)
    (tmp_path / "latest").symlink_to("otlp")
    (tmp_path / "first.txt").symlink_to("none/wrk-1.txt")
    runs = bk.load(tmp_path)
    assert set(runs.runs["variant"]) == {"none", "otlp"}
    assert not runs.diagnostics
