"""The golden tool: it passes, fails with a diff, rewrites, and cleans up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Golden


@pytest.fixture
def here(golden: Golden, tmp_path: Path) -> Golden:
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden" / "a.md").write_text("one\ntwo\n", encoding="utf-8")
    return type(golden)(tmp_path / "golden", tmp_path / "actual")


def test_equal_text_passes_and_removes_earlier_failures(here: Golden) -> None:
    here.actual.mkdir()
    (here.actual / "a.md").write_text("old", encoding="utf-8")
    here.check("a.md", "one\ntwo\n")
    assert not (here.actual / "a.md").exists()


def test_different_text_fails_with_a_diff_and_is_kept(here: Golden) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"-two\n\+three"):
        here.check("a.md", "one\nthree\n")
    assert (here.actual / "a.md").read_text(encoding="utf-8") == "one\nthree\n"


def test_missing_golden_fails(here: Golden) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"\+new"):
        here.check("deep/new.md", "new\n")


def test_update_writes(here: Golden) -> None:
    writer = type(here)(here.expected, here.actual, update=True)
    writer.check("deep/new.md", "new\r\n")
    assert (here.expected / "deep" / "new.md").read_bytes() == b"new\r\n"
