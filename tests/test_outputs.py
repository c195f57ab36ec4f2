"""A file that a stranger planted at an output's path is neither waited for nor written through."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import benchkit as bk
from benchkit.errors import ConfigError
from benchkit.outputs import append, save

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures/tracing-wrk"


def report(path: Path) -> object:
    return bk.report(bk.load(str(FIXTURES)).compare(baseline="none"), path)


def draw(path: Path) -> object:
    return bk.load(str(FIXTURES)).compare(baseline="none").plot.forest().save(path)


@pytest.mark.parametrize(("write", "name"), [(report, "a.md"), (report, "a.html"), (draw, "a.svg")])
def test_library_writes_to_no_pipe_or_link(
    write: Callable[[Path], object], name: str, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / name).write_text("mine")
    os.mkfifo(tmp_path / name)
    with pytest.raises(ConfigError, match="not a regular file"):
        write(tmp_path / name)
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(tmp_path / "home" / name)
    with pytest.raises(ConfigError, match="is a link to a file elsewhere"):
        write(tmp_path / name)
    assert (tmp_path / "home" / name).read_text() == "mine"
    (tmp_path / name).unlink()
    write(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [name]


def test_link_in_place_of_a_partial_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for name in (".a.txt.partial", f".a.txt.{os.getpid()}.partial"):
        (tmp_path / name).symlink_to("mine")
    save(tmp_path / "a.txt", lambda path: path.write_text("a"))
    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "a.txt").read_text() == "a"
    assert not (tmp_path / "a.txt").is_symlink()


def test_summary_is_appended_only_to_a_regular_file(tmp_path: Path) -> None:
    append(tmp_path / "summary.md", "a")
    append(tmp_path / "summary.md", "b")
    assert (tmp_path / "summary.md").read_text() == "ab"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises((OSError, ConfigError)):
        append(tmp_path / "pipe", "a")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ConfigError, match="not a regular file"):
        append(tmp_path / "pipe", "a")
    os.close(reader)
