"""Secrets in names of files and folders are not stored, but still distinguish sources."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion import discovery, parts
from benchkit.ingestion.addresses import locate, name_address, show_path
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.stored import list_parts
from benchkit.store import Store

SECRET = "Zk8vQw93hTnB4xLs"  # noqa: S105 - of nothing
FOLDER = f"api_key={SECRET}0"
NAMES = (f"base token={SECRET}1.txt", f"password={SECRET}2.txt", f"{FOLDER}/a.txt", "plain.txt")
GO = "goos: linux\npkg: a\nBenchmarkGet 1 {} ns/op\nBenchmarkPut 1 {} ns/op\n"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results"
    for number, name in enumerate(NAMES):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(GO.format(1000 + number, 2031 + number), encoding="utf-8")
    return folder


def read_store(folder: Path) -> str:
    """Return the content of all files of a store, with table values as text."""
    texts = []
    for path in folder.rglob("*"):
        if path.suffix == ".parquet":
            texts.append(str(read_table(path, partitioning=None).to_pylist()))
        if path.is_file():
            texts.append(path.read_bytes().decode("latin-1"))
    return "\n".join(texts)


def count_runs() -> int:
    return len(list_parts(Store(".benchkit")))


def outcomes() -> set[str]:
    return {report.outcome for report in ingest(["results"], Store(".benchkit")).reports}


@pytest.mark.usefixtures("results")
def test_store_contains_no_secret_of_a_path() -> None:
    assert run(["ingest", "results", "-q"]) == 0
    assert SECRET not in read_store(Path(".benchkit"))


@pytest.mark.usefixtures("results")
def test_store_contains_no_secret_of_a_label() -> None:
    labels = [f"x token={SECRET}", f"glpat-{SECRET}aBcD"]
    arguments = [["results", "--variant", label] for label in labels] + [[f"{labels[0]}=results"]]
    for number, words in enumerate(arguments):
        assert run(["ingest", *words, "-q"]) == 0
        runs = count_runs()
        assert runs == len(NAMES) * 2 * min(number + 1, len(labels))
        assert run(["ingest", *words, "-q"]) == 0
        assert count_runs() == runs
    assert SECRET not in read_store(Path(".benchkit"))


def test_sources_with_secrets_in_their_names_are_recognised_again(results: Path) -> None:
    assert run(["ingest", "results", "-q"]) == 0
    runs = count_runs()
    assert outcomes() == {"unchanged"}
    (results / NAMES[0]).write_text(GO.format(5000, 6000), encoding="utf-8")
    (results / NAMES[1]).rename(results / f"password={SECRET}3.txt")
    outcomes()
    assert count_runs() == runs
    assert "gone" not in str(ingest(["results"], Store(".benchkit")).findings)


def test_removed_source_with_a_secret_in_its_name_is_reported(results: Path) -> None:
    assert run(["ingest", "results", "-q"]) == 0
    (results / NAMES[2]).unlink()
    (finding,) = ingest(["results"], Store(".benchkit")).findings
    assert finding.code == "B110"
    assert SECRET not in str(finding)


def test_packed_source_keeps_its_path(results: Path) -> None:
    assert run(["ingest", "results", "-q"]) == 0
    runs, path = count_runs(), results / NAMES[0]
    Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    outcomes()
    assert count_runs() == runs


@pytest.mark.usefixtures("results")
def test_next_ingest_masks_paths_of_an_earlier_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(discovery, "name_address", show_path)
        assert run(["ingest", "results", "-q"]) == 0
    runs = count_runs()
    assert SECRET in read_store(Path(".benchkit"))
    assert outcomes() == {"unchanged"}
    assert count_runs() == runs
    assert not any(SECRET in part.path for part in list_parts(Store(".benchkit")))


def test_address_resolves_to_its_file(results: Path) -> None:
    for name in NAMES:
        path = str(results / name)
        assert locate(name_address(path)) == path
    absent = name_address(results / f"token={SECRET}9" / "a.txt")
    assert locate(absent) == absent


@pytest.mark.usefixtures("results")
def test_upgrade_masks_paths_of_an_earlier_build(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        for module in (discovery, parts):
            earlier.setattr(module, "name_address", show_path, raising=False)
        earlier.setattr(parts, "name_path", show_path)
        assert run(["ingest", "results", "-q"]) == 0
    runs = count_runs()
    assert run(["store", "upgrade"]) == 0
    assert not any(
        SECRET in f"{part.path} {part.folder}" for part in list_parts(Store(".benchkit"))
    )
    assert outcomes() == {"unchanged"}
    assert count_runs() == runs


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    "argument", [f"git:HEAD:token={SECRET}", f"token={SECRET}", f"api_key={SECRET}/results"]
)
def test_errors_do_not_show_secrets_of_arguments(
    argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["runs"], ["ingest"], ["gate"], ["layout"], ["report"], ["map"]):
        assert run([*words, argument]) in {2, 3}
        shown = capsys.readouterr()
        assert SECRET not in shown.out + shown.err


def test_store_contains_no_secret_of_a_param_or_tag(results: Path) -> None:
    tagged = {f"http_req_duration{{api_key:{SECRET}{n}}}": {"avg": n, "med": n} for n in (1, 2)}
    summary = {"metrics": {"http_req_duration": {"avg": 1.5, "med": 1.5}, **tagged}}
    (results / "k6-export-1.json").write_text(json.dumps(summary), encoding="utf-8")
    side = f'[params]\n"token={SECRET}1" = "1"\n"token={SECRET}2" = "1"\n'
    (results / "k6-export-1.json.run.toml").write_text(side, encoding="utf-8")
    assert run(["ingest", "results", "-q"]) == 0
    assert SECRET not in read_store(Path(".benchkit"))
    values = bk.load(store=".benchkit").observations
    assert values["subject"].str.contains("api_key:").sum() == 4
    assert values["subject"].nunique() == 2


@pytest.mark.parametrize("repeats", [1, 40])
@pytest.mark.usefixtures("results")
def test_store_contains_no_secret_of_a_metric(
    repeats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    unit = f"password={SECRET}/op"
    head = f"goos: linux\npkg: a\nUnit {unit} better=lower\n"
    for value, side in enumerate(("none", "otlp"), 5):
        row = f"BenchmarkGet 1 {value} ns/op 7 {unit}\n"
        text = f"{head}{row * repeats}PASS\nok a 1s\n"
        path = Path("sides", side, "go-1.txt")
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    for words in (["compare", "sides"], ["ingest", "sides"], ["export"], ["layout", "sides"]):
        assert run(words) == 0
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err + read_store(Path(".benchkit"))
    values = bk.load(store=".benchkit").observations
    assert values["metric"].str.startswith("password=…").sum() == 2 * repeats
    assert values["metric"].nunique() == 2


def test_byte_in_a_name_and_its_escape_are_two_sources(results: Path) -> None:
    names = ("base\udcff.txt", "base\\xff.txt", "base\\x5cxff.txt")
    for number, name in enumerate(names):
        (results / name).write_text(GO.format(1 + number, 2 + number), encoding="utf-8")
    outcomes()
    assert outcomes() == {"unchanged"}
    assert all(locate(name_address(results / name)) == str(results / name) for name in names)
    assert count_runs() == 2 * len(NAMES + names)
