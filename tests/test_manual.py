"""The README and the manual are correct: their blocks run, their tables are generated.

`pytest --update tests/test_manual.py` rewrites outputs and tables; a person reviews the diff.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from documents import (
    DOCUMENTS,
    MANUAL,
    README,
    ROOT,
    list_blocks,
    prepare,
    read_documents,
    run_blocks,
    serve_prometheus,
)
from generated import PARTS, fill_parts
from plugged import install, run_benchkit

from benchkit.cli.menu import COMMANDS
from benchkit.errors import ExitCode
from benchkit.manual import PURPOSES, list_pages
from benchkit.tables.wording import MARKS

LINK = re.compile(r"\]\(([^)\s]+)\)")
#: Languages of fenced blocks; commands and Python are run, TOML is parsed.
LANGUAGES = {"console", "sh", "bash", "python", "toml", "yaml", "jinja", "text"}


def name_document(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_document)
def test_blocks_run_and_outputs_and_tables_are_current(
    path: Path,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = path.read_text(encoding="utf-8")
    monkeypatch.setenv("PATH", prepare(tmp_path))
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.chdir(tmp_path)
    with serve_prometheus() as address:
        current = fill_parts(run_blocks(text, address))
    if request.config.getoption("--update"):
        path.write_text(current, encoding="utf-8")
    assert current == path.read_text(encoding="utf-8")


def test_every_generated_table_is_in_a_document() -> None:
    text = read_documents()
    assert [name for name in PARTS if text.count(f"<!-- {name} -->\n") != 1] == []


@pytest.mark.parametrize(
    "path", [*DOCUMENTS, *sorted((ROOT / ".github").glob("*.md"))], ids=name_document
)
def test_every_link_has_a_target(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in LINK.findall(text):
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        page = path.parent / file if file else path
        assert page.is_file(), target
        assert not anchor or anchor in list_anchors(page), target


def list_anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_document)
def test_blocks_that_are_not_run_contain_no_command(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert {language for language, _ in fences} <= LANGUAGES
    if path.stem != "commands":  # their usages are generated
        assert not [body for language, body in fences if language == "text" and "benchkit " in body]
    assert not re.search(r"^ {4,}(\$ )?benchkit ", text, re.MULTILINE)


def test_readme_is_two_screens_with_a_tour_of_five_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    tour = re.findall(
        r"^```console\n\$ benchkit [^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    assert len(tour) == 5
    assert all(tour)


def test_readme_table_has_every_verdict() -> None:
    text = README.read_text(encoding="utf-8")
    assert [mark for mark in MARKS.values() if f"\n| {mark} " not in text] == []


def test_every_page_has_a_unique_title_and_topic() -> None:
    pages = list_pages()
    assert len({page.topic for page in pages}) == len(pages)
    assert {page.purpose for page in pages} == set(PURPOSES)
    assert len(pages) == len(list(MANUAL.rglob("*.md")))
    for page in pages:
        assert page.text.startswith("# "), page.topic
        assert page.title.strip()


def test_every_page_is_linked_from_the_readme() -> None:
    links = set(LINK.findall(README.read_text(encoding="utf-8")))
    pages = {path.relative_to(ROOT).as_posix() for path in MANUAL.rglob("*.md")}
    assert pages - links == set()


def test_every_command_and_exit_code_is_mentioned() -> None:
    text = read_documents()
    assert [name for name in COMMANDS if f"## benchkit {name}" not in text] == []
    assert [code for code in ExitCode if f"\n| {int(code)} " not in text] == []


def test_pandas_example_yields_the_headline_of_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in list_blocks("python"):
        if "bk." in block:
            exec(block, names)  # noqa: S102 - our own manual
    sentence = capsys.readouterr().out.splitlines()[0]
    assert sentence in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "13.1" in sentence
    assert len(names["axes"].patches) == len(names["rows"]) == 4
    assert (tmp_path / "forest.svg").is_file()
    assert names["rates"].shape == (8, 5)


def test_plugin_of_the_manual_is_a_package(tmp_path: Path) -> None:
    project, module, page = (
        next(block for block in list_blocks(language) if word in block)
        for language, word in (
            ("toml", "benchkit.rules"),
            ("python", "RETRIES"),
            ("jinja", "extend"),
        )
    )
    table = tomllib.loads(project)
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in named.items())
        for group, named in table["project"]["entry-points"].items()
    )
    files = {"acme/__init__.py": module, "acme/templates/page.html": page}
    assert table["tool"]["setuptools"]["package-data"] == {"acme": ["templates/*"]}
    environment = install(tmp_path, table["project"]["name"], points, files)
    for variant, laps in {"off": (10, 11, 12, 13), "on": (20, 21, 22, 23)}.items():
        path = tmp_path / "laps" / variant / "stopwatch-1.txt"
        path.parent.mkdir(parents=True)
        path.write_text("stopwatch\n" + "".join(f"lap {lap}.0ms\n" for lap in laps))

    def run(*arguments: str) -> str:
        return run_benchkit(tmp_path, environment, *arguments)

    assert run("compare", "laps", "--baseline", "off").startswith("▲ on has ")
    wrk = str(ROOT / "fixtures/tracing-wrk")
    assert "otlp: 8 runs shorter than 30 s" in run("check", wrk, "--select", "ACME1")
    explained = run("explain", "ACME1")
    assert explained.startswith("ACME1: a run is shorter than 30 s.")
    assert "our service warms up; measure longer" in explained
    assert "Retries of one operation" in run("explain", "retries/op")
    run("report", "laps", "--baseline", "off", "--template", "acme")
    assert "<p>Performance team" in (tmp_path / "report.html").read_text(encoding="utf-8")
