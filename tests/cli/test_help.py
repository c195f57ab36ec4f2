"""`benchkit help` lists topics and shows pages: paged on a screen, plain when piped."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchkit.cli import menu, run
from benchkit.cli.menu import COMMANDS
from benchkit.manual import PURPOSES, find_page, list_pages


def test_topics_are_listed_by_purpose(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help"]) == 0
    printed = capsys.readouterr().out
    places = [printed.index(f"{heading}\n  ") for heading in PURPOSES.values()]
    assert places == sorted(places)
    for page in list_pages():
        assert f"  {page.topic} " in printed
        assert page.title in printed


def test_page_is_plain_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "verdicts"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("# ")
    assert "\x1b" not in printed
    assert "<!--" not in printed
    assert ".md)" not in printed


def test_command_without_a_page_shows_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "compare"]) == 0
    assert capsys.readouterr().out.startswith("Usage: benchkit compare")


def test_unknown_topic_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "tutorail"]) == 2
    error = capsys.readouterr().err
    assert "unknown topic 'tutorail'" in error
    assert "did you mean 'tutorial'?" in error
    assert "`benchkit help`" in error


def test_page_on_a_screen_is_rendered_and_paged(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    paged: list[str] = []
    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.setattr("pydoc.pager", paged.append)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run(["help", "verdicts"]) == 0
    assert "\x1b[" in paged[0]
    assert find_page("verdicts").title in paged[0]


def test_links_to_pages_name_the_command() -> None:
    for page in list_pages():
        shown = page.for_terminal()
        assert ".md)" not in shown, page.topic
        assert "<summary>" not in shown


def test_help_lists_every_command_by_purpose_without_truncation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--help"]) == 0
    printed = capsys.readouterr().out
    assert "\nMeasure:\n  capture  Run a command" in printed
    assert "..." not in printed.partition("Measure:")[2]
    assert max(map(len, printed.splitlines())) <= 80
    modules = Path(menu.__file__).parent.glob("*.py")
    registered = {path.stem for path in modules if "def register" in path.read_text("utf-8")}
    assert set(COMMANDS) == registered
    for command in ("history", "store"):
        assert run([command, "--help"]) == 0
        assert "..." not in capsys.readouterr().out.partition("Commands:")[2]
