"""Command output is stored unchanged and shown without control sequences."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import pytest

from benchkit.capture.execution import execute


def test_command_output_cannot_control_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    printed = "\x1b[31mred\x1b[0m\ta\x1b]0;title\x07\x1b[2J b\u0085c\nend\n"
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    code = f"import sys; sys.stdout.buffer.write({printed.encode()!r})"
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        execute([sys.executable, "-c", code], out, err, show=True)
    assert terminal.getvalue() == "red\ta\\x1b]0;title\\x07\\x1b[2J b\\x85c\nend\n"
    assert (tmp_path / "out").read_bytes() == printed.encode()
