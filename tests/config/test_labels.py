"""Labels in benchkit.toml, and every TOML text that the tool or its manual shows."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gated
import pytest
from documents import list_blocks, read_documents

import benchkit
from benchkit import api, config
from benchkit.audit.catalogue import CATALOGUE
from benchkit.capture import plan
from benchkit.cli import run
from benchkit.config.labels import NO_LABELS
from benchkit.errors import ConfigError
from benchkit.ingestion.discovery import Options, discover
from benchkit.labels.run_toml import read_sidecar
from benchkit.labels.sidecars import Sidecars

ROOT = Path(__file__).resolve().parents[2]
COSTS = ROOT / "fixtures" / "tracing-costs"
SOURCES = sorted(Path(benchkit.__file__).parent.rglob("*.py"))
#: A table with one of its keys, within a sentence: ``[containers] service = "NAME"``.
INLINE = re.compile(r"(\[\[?[a-z.]+\]\]?) (\w+ = (?:\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\w+))")
SERVICE = '[containers]\nservice = "storage"\n'


def list_inline() -> Iterator[tuple[str, str]]:
    texts = {f"catalogue {e.code}": f"{e.what} {e.do} {e.example}" for e in CATALOGUE.values()}
    texts |= {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in SOURCES}
    texts["manual"] = read_documents().replace("`", "")
    for place, text in texts.items():
        for table, entry in INLINE.findall(text):
            yield place, f"{table}\n{entry}"


def read_as_settings(folder: Path, text: str) -> None:
    (folder / "benchkit.toml").write_text(text, encoding="utf-8")
    sidecars = Sidecars(folder, config.load(folder).labels)
    assert sidecars.diagnostics == []


@pytest.mark.parametrize("text", list_blocks("toml"), ids=lambda text: " ".join(text.split()))
def test_every_toml_block_of_the_manual_can_be_read(text: str, tmp_path: Path) -> None:
    table = tomllib.loads(text)
    if "build-system" in table or ("project" in table and "name" in table["project"]):
        return  # the package of a plug-in, which another test installs
    if "rounds" in table or "variants" in table:
        (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
        assert plan.read_plan(tmp_path / "plan.toml").rounds == table.get("rounds", 1)
        return
    read_as_settings(tmp_path, text)
    if "run.toml" in text:
        assert read_sidecar(text, "run.toml")[1] == []
        nested = re.sub(r"^\[", "[labels.", text, flags=re.MULTILINE)
        read_as_settings(tmp_path, nested)


def test_every_entry_in_a_message_can_be_written_into_benchkit_toml(tmp_path: Path) -> None:
    entries = list(list_inline())
    assert any("service" in entry for _, entry in entries)
    for place, entry in entries:
        try:
            read_as_settings(tmp_path, entry)
        except ConfigError as error:
            pytest.fail(f"{place}: {entry!r}: {error}")


def test_every_line_commented_out_by_init_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gated.write_pair(tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    assert run(["init", "results", "--quiet"]) == 0
    text = (tmp_path / "benchkit.toml").read_text(encoding="utf-8")
    used, keys = [], set()
    for line in text.splitlines():
        entry = re.fullmatch(r"# (\[\[[\w.]+\]\]|(\w+) = .*)", line)
        used.append(line[2:] if entry and entry[2] not in keys else line)
        keys |= {entry[2]} if entry and entry[2] == "rename" else set()
    assert sum(map(str.__ne__, used, text.splitlines())) > 8
    read_as_settings(tmp_path, "\n".join(used))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variant in ("none", "otlp"):
        (tmp_path / "results" / variant).mkdir(parents=True)
        for file in sorted((COSTS / variant).glob("*-[12].*")):
            shutil.copy(file, tmp_path / "results" / variant / file.name)
    shutil.copy(COSTS / "runs.json", tmp_path / "results" / "runs.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def list_services(*paths: str) -> set[str]:
    settings = config.load(Path())
    table = api.load(*paths, options=Options(labels=settings.labels)).observations
    return set(table[table["metric"].eq("cpu_per_request")]["subject"])


@pytest.mark.parametrize(
    "text", [SERVICE, '[labels.containers]\nservice = "storage"\n', f"[labels]\n{SERVICE}"]
)
def test_service_named_in_the_working_folder_is_used(text: str, workspace: Path) -> None:
    (workspace / "benchkit.toml").write_text(text, encoding="utf-8")
    assert list_services("results") == {"/bench/storage"}
    options = Options(labels=config.load(workspace).labels)
    (file,) = discover(["results/otlp/wrk-1.txt"], options).found
    assert file.sidecar.containers == {"service": "storage"}


def test_every_command_reads_the_labels(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "benchkit.toml").write_text(SERVICE, encoding="utf-8")
    assert run(["ingest", "results", "--quiet"]) == 0
    capsys.readouterr()
    assert run(["export", "--metric", "cpu_per_request", "--format", "csv"]) == 0
    out = capsys.readouterr().out
    assert "/bench/storage" in out
    assert "/bench/server" not in out


def test_labels_nearer_to_the_runs_take_precedence(workspace: Path) -> None:
    (workspace / "benchkit.toml").write_text(SERVICE, encoding="utf-8")
    text = '[containers]\nservice = "server"\n'
    (workspace / "results" / "benchkit.toml").write_text(text, encoding="utf-8")
    assert list_services("results") == {"/bench/server"}


def test_invalid_label_is_one_warning_with_its_line(workspace: Path) -> None:
    (workspace / "benchkit.toml").write_text('[containers]\nservce = "a"\n', encoding="utf-8")
    options = Options(labels=config.load(workspace).labels)
    for paths in (("results",), (".",), ("results/none", "results/otlp")):
        problems = [p for p in api.load(*paths, options=options).diagnostics if "servce" in p.what]
        assert [(p.line, p.severity) for p in problems] == [(2, "warning")]


def test_unreadable_settings_next_to_the_runs_are_a_warning(tmp_path: Path) -> None:
    text = "[labels]\nvariant = 'a'\n[stat]\nmargin = 1\n"
    (tmp_path / "benchkit.toml").write_text(text, encoding="utf-8")
    sidecars = Sidecars(tmp_path)
    assert sidecars.for_file(tmp_path / "wrk-1.txt").variant is None
    (problem,) = sidecars.diagnostics
    assert (problem.severity, problem.hint) == ("warning", "did you mean 'stats'?")


def test_labels_in_pyproject_name_their_line(tmp_path: Path) -> None:
    text = "[tool.benchkit.stats]\nmargin = '5%'\n[tool.benchkit.spans]\nper_request = 0\n"
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    settings = config.load(tmp_path)
    (problem,) = Sidecars(tmp_path, settings.labels).diagnostics
    assert problem.where == f"{tmp_path}/pyproject.toml:4"
    assert replace(settings, labels=NO_LABELS) == config.Settings(margin=0.05)
