"""Terminal output is plain when piped, coloured on a screen, and always safe."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from examples import FINDINGS, RATE, tracing, verdicts

from benchkit.cli.console import plain, print_table, render_comparison, render_table
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.overhead import primary_tables

if TYPE_CHECKING:
    from conftest import Golden

TABLE = Table(
    title="T",
    columns=(Column("a", "name"), Column("n", "value", "s", "right")),
    rows=((Cell("漢字"), Cell("1.5")), (Cell("plain", mark="▲", notes=(1,)), Cell("10"))),
    notes=("a note",),
)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_comparison(golden: Golden) -> None:
    golden.check("cli/tracing.txt", render_comparison(tracing(), FINDINGS, to_file=True))


def test_columns_line_up_with_wide_characters() -> None:
    file = io.StringIO()
    print_table(TABLE, file)
    assert file.getvalue().splitlines() == [
        "T",
        "name         value, s",
        "漢字              1.5",
        "▲ plain (1)        10",
        "1  a note",
    ]


def test_screen_gets_colours_and_a_pipe_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen, pipe = Screen(), io.StringIO()
    print_table(TABLE, screen)
    print_table(TABLE, pipe)
    assert "\x1b[" in screen.getvalue()
    assert "\x1b" not in pipe.getvalue()


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen()
    print_table(TABLE, screen)
    assert "\x1b" not in screen.getvalue()


def test_old_encoding_gets_ascii() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_table(primary_tables(tracing())[0], file)
    file.flush()
    text = file.buffer.getvalue().decode("ascii")
    assert "otlp" in text
    assert "-13.1 %" in text
    assert "^ fewer, by at least 3 %" in text
    assert "\\" not in text


def test_narrow_screen_hides_spare_columns() -> None:
    file = io.StringIO()
    print_table(primary_tables(tracing())[0], file, width=80)
    lines = file.getvalue().splitlines()
    assert lines[-1].startswith("narrow screen: hiding ")
    assert max(map(len, lines)) <= 80
    assert "verdict" in lines[2]


@pytest.mark.parametrize("is_colored", [False, True])
def test_narrower_screen_stacks_rows_without_breaking_words(
    is_colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_colored:
        monkeypatch.delenv("NO_COLOR", raising=False)
    file = Screen() if is_colored else io.StringIO()
    print_table(primary_tables(tracing())[0], file, width=42)
    text = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", text)[1:5]]
    assert [block[0].split()[1] for block in blocks] == ["otlp", "zipkin", "apm", "skywalking"]
    assert any("▲ fewer, by at least 3\N{NO-BREAK SPACE}%" in line for line in blocks[0])
    assert all(len(line) <= 42 for block in blocks for line in block)


@pytest.mark.parametrize("width", [50, 58, 64, 68, 70, 72, 76])
def test_verdict_is_shortened_but_not_broken(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    file = Screen()
    print_table(primary_tables(tracing())[0], file, width=width)
    text = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    costs = [line.rstrip() for line in text.splitlines() if "▲" in line]
    assert len(costs) == 3
    assert all(line.endswith(("▲ fewer", "at least 3\N{NO-BREAK SPACE}%")) for line in costs)


def test_names_cannot_control_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = {"none": (100.0,), "\x1b]0;pwned\x07[bold]\r\u202e": (90.0,)}
    results = verdicts({RATE: sides}, "wrk", "/")
    text = render_comparison(results, to_file=True)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text)
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Screen()
    print_table(primary_tables(results)[0], screen, width=300)
    assert "\x07" not in screen.getvalue()
    assert "[bold]" in screen.getvalue()


def test_plain_escapes_control_sequences_and_commands() -> None:
    assert plain("a\x1b[2J\nb") == "a\\x1b[2J\\nb"
    for text in ("::stop-commands::x", "a\n  ::error::b", "a ##[group]b", "a ##VSO[x]b"):
        assert not re.search(r"(?mi)^\s*::|##(vso)?\[", plain(text).replace("\\n", "\n"))
    assert plain("a::b c") == "a::b c"
    assert plain("\udc80") == "\\udc80"


def test_markdown_is_printed_on_request() -> None:
    assert render_table(TABLE, markdown=True).splitlines()[2] == "| name | value, s |"


def test_plain_table_loads_neither_rich_nor_pandas() -> None:
    code = (
        "import sys; from benchkit.cli.console import print_table;"
        "from benchkit.tables.model import Table, Column, Cell;"
        "print_table(Table('t', (Column('a', 'a'),), ((Cell('1'),),)), sys.stdout);"
        "print(sorted({'rich', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_text_around_a_table_fits_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "42")
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    text = render_comparison(tracing(), FINDINGS)
    assert max(map(len, text.splitlines())) <= 42
    assert text.splitlines()[0] == "▲ zipkin serves 16.1\N{NO-BREAK SPACE}% fewer requests/s"
    assert "  Secondary metrics (not part of the\n  verdict): 5 of 8 differ" in text
