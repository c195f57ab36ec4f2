"""A raw file as parsers see it: the same lines for any encoding, compression or block size."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import re
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchkit.reading import cleaning
from benchkit.reading import source as module
from benchkit.reading.source import HEAD_BYTES, Source, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

T = TypeVar("T")
ESCAPE = "\x1b"


def make(data: bytes) -> Source:
    return Source(None, "memory.txt", data)


def lines(data: bytes) -> list[tuple[int, str]]:
    return list(make(data).lines())


def in_blocks(data: bytes, size: int) -> list[tuple[int, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", size)
        return lines(data)


@given(st.binary(max_size=60) | st.text("a\r\n\x1b[é", max_size=60).map(str.encode))
@example("é1\né2".encode("utf-16"))
def test_line_blocks_contain_the_same_lines(data: bytes) -> None:
    for size in (1, 7, 1 << 22):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_BLOCK", max(size, 2))
            source = make(data)
            try:
                expected = [text for _, text in source.lines()]
                blocks = list(source.line_blocks(size))
            except UnreadableError:
                return
        assert [line for block in blocks for line in cleaning.clean_lines(block)] == expected
        assert all(block.endswith(b"\n") for block in blocks[:-1])


def collect_until_damage(items: Iterable[T]) -> tuple[list[T], bool]:
    collected = []
    try:
        for item in items:
            collected.append(item)  # noqa: PERF402 - kept when it raises
    except UnreadableError:
        return collected, True
    return collected, False


def test_complete_lines_before_damage_come_in_blocks() -> None:
    data = gzip.compress(b"".join(b"line %d\n" % i for i in range(100_000)))
    source = make(data[: len(data) // 2])
    lines, is_damaged = collect_until_damage(text for _, text in source.lines())
    blocks, is_damaged_too = collect_until_damage(source.line_blocks())
    assert is_damaged
    assert is_damaged_too
    assert [line for block in blocks for line in cleaning.clean_lines(block)] == lines
    assert len(lines) > 1000


def naive_lines(text: str) -> list[tuple[int, str]]:
    """Do what `Source.lines` promises in the simplest way, for a text without escapes."""
    whole = text.split("\n")
    if whole[-1] == "":
        whole.pop()
    return [(n, line.rstrip("\r").split("\r")[-1]) for n, line in enumerate(whole, 1)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb\nc\r\n", ["a", "b", "c"]),
        (b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
        (b"10%\r50%\r100% done\n", ["100% done"]),
        (b"latency \xc2\xb5s\n", ["latency \N{MICRO SIGN}s"]),
        (b"latency \xb5s, \xc3\n", ["latency µs, ⣃"]),
        ("é1\né2\n".encode("utf-16"), ["é1", "é2"]),
        (codecs.BOM_UTF16_LE + "a\r\nb".encode("utf-16-le"), ["a", "b"]),
        (codecs.BOM_UTF16_BE + "a\r\nb".encode("utf-16-be"), ["a", "b"]),
        (gzip.compress(b"a\r\nb\n", mtime=0), ["a", "b"]),
        (
            gzip.compress(b"a\n", mtime=0) + gzip.compress(b"b\n", mtime=0),
            ["a", "b"],
        ),
        (b"a\x0bb\x0cc\xe2\x80\xa8d\n", ["a\x0bb\x0cc\N{LINE SEPARATOR}d"]),
    ],
)
def test_lines(data: bytes, expected: list[str]) -> None:
    assert lines(data) == list(enumerate(expected, 1))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{ESCAPE}[32mok{ESCAPE}[0m", "ok"),
        (f"{ESCAPE}[2K{ESCAPE}[1Arunning", "running"),
        (f"{ESCAPE}[1;31;4mred", "red"),
        (f"{ESCAPE}]0;title\x07prompt", "prompt"),
        (f"{ESCAPE}]8;;http://h/{ESCAPE}\\link", "link"),
        (f"{ESCAPE}(Bplain", "plain"),
        (f"50%\r{ESCAPE}[K100%", "100%"),
        (f"done{ESCAPE}[0m\r", "done"),
    ],
)
def test_terminal_sequences_are_removed(line: str, expected: str) -> None:
    data = (line + "\n").encode()
    assert lines(data) == [(1, expected)]
    assert make(data).head().text == expected + "\n"
    assert make(data).text() == expected + "\n"


@given(st.text(alphabet="ab1é\r\n\N{MICRO SIGN}", max_size=60), st.integers(1, 9))
@example("a\r\nb\r", 2)
@example("\N{MICRO SIGN}" * 5, 1)
def test_lines_do_not_depend_on_blocks(text: str, size: int) -> None:
    expected = naive_lines(text)
    assert in_blocks(text.encode(), size) == expected
    assert in_blocks(text.encode("utf-8-sig"), size) == expected
    assert in_blocks(gzip.compress(text.encode()), size) == expected


@given(st.text(alphabet="ab1é\r\n", min_size=1, max_size=60), st.integers(1, 9))
def test_utf16_lines_do_not_depend_on_blocks(text: str, size: int) -> None:
    assert in_blocks(text.encode("utf-16"), size) == naive_lines(text)


@given(st.binary(max_size=200), st.integers(1, 9))
def test_arbitrary_bytes_are_read_the_same_in_any_blocks(data: bytes, size: int) -> None:
    source = make(data)
    try:
        plain = list(source.lines())
        source.head()
        source.text()
        assert b"".join(source.blocks()) == source.open().read()
    except UnreadableError:
        return
    assert in_blocks(data, size) == plain


@given(st.text(alphabet="ab\r\n", max_size=80), st.integers(1, 9))
def test_head_and_text_are_cleaned_like_lines(text: str, size: int) -> None:
    source = make(text.encode())
    cleaned = [line for _, line in in_blocks(text.encode(), size)]
    for cleaned_text in (source.text(), source.head().text):
        assert cleaned_text.split("\n")[: len(cleaned)] == cleaned


def read_until_damage(data: bytes) -> Iterator[tuple[int, str]]:
    with pytest.raises(UnreadableError, match="gzip stream is damaged or truncated"):
        yield from make(data).lines()


@pytest.mark.parametrize("keep", [-1, -8, -20])
def test_damaged_gzip_keeps_the_complete_lines_before(keep: int) -> None:
    text = "".join(f"line {n}\n" for n in range(20_000))
    lines_read = list(read_until_damage(gzip.compress(text.encode(), 1)[:keep]))
    assert len(lines_read) > 15_000
    assert lines_read == naive_lines(text)[: len(lines_read)]


def test_damaged_gzip_never_yields_half_a_line() -> None:
    text = "".join(f"Requests/sec: {n}12345.67\n" for n in range(5_000))
    packed = gzip.compress(text.encode(), 1)
    for keep in range(20, len(packed), 997):
        lines_read = list(read_until_damage(packed[:keep]))
        assert lines_read == naive_lines(text)[: len(lines_read)]


def test_gzip_with_a_wrong_checksum_is_damaged() -> None:
    packed = bytearray(gzip.compress(b"a\nb\n", mtime=0))
    packed[-8] ^= 0xFF
    with pytest.raises(UnreadableError):
        list(make(bytes(packed)).lines())


def test_two_bytes_of_gzip_are_damaged_gzip() -> None:
    with pytest.raises(UnreadableError):
        make(b"\x1f\x8b").head()


def test_head_is_the_beginning() -> None:
    head = make(b"x" * HEAD_BYTES + b"tail").head()
    assert len(head.data) == HEAD_BYTES
    assert head.is_start
    assert "tail" not in head.text


@pytest.mark.parametrize("data", [b"\x00\x01\x02", b"PK\x03\x04\x00\x00", b"a\nb\x00c"])
def test_binary_data_has_no_text(data: bytes) -> None:
    head = make(data).head()
    assert head.data == data
    assert head.text == ""


def test_windows_reach_every_block_far_down() -> None:
    filler = b"log line\n" * 40_000
    source = make(filler + b"Running 30s test\n" + filler)
    windows = list(source.windows())
    assert any("Running 30s test\n" in window.text for window in windows)
    assert not any(window.is_start for window in windows)


def test_windows_overlap_so_that_no_line_is_split() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 10_000)
        for shift in range(0, 40, 3):
            data = b"." * (HEAD_BYTES + 4_450 + shift) + b"\nRunning 30s test\n" + b"." * 20_000
            assert any("Running 30s test\n" in window.text for window in make(data).windows())


def test_short_source_has_no_windows() -> None:
    assert list(make(b"a\n").windows()) == []


def test_file_is_read_once_and_a_large_one_is_streamed(tmp_path: Path) -> None:
    path = tmp_path / "wrk-1.txt"
    path.write_bytes(b"a\r\nb\n")
    buffered, streamed = Source.load(path), Source.load(path, "wrk-1.txt", keep=2)
    path.write_bytes(b"c\n")
    assert [line for _, line in buffered.lines()] == ["a", "b"]
    assert [line for _, line in streamed.lines()] == ["c"]
    assert (buffered.label, streamed.label) == (str(path), "wrk-1.txt")


@pytest.mark.parametrize("keep", [0, 1 << 20])
def test_digest_and_size_are_those_of_the_bytes_on_disk(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a\n" * 100, mtime=0))
    source = Source.load(path, keep=keep)
    assert source.size == path.stat().st_size
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_digest_is_computed_while_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a line\n" * 1000)
    source, positions = Source.load(path, keep=0), list[int]()
    source.watch = positions.append
    source.head()
    assert sum(len(block) for block in source.line_blocks()) == source.size
    path.write_bytes(b"")  # the whole file was read, so nothing is read again
    assert source.sha256 == hashlib.sha256(b"a line\n" * 1000).hexdigest()
    assert max(positions) == 7000


def test_stream_reads_in_any_portion() -> None:
    data = bytes(range(256)) * 30
    with make(gzip.compress(data, mtime=0)).open() as stream:
        portions = [stream.read(7), stream.read(1000), stream.read()]
    assert b"".join(portions) == data


@pytest.mark.parametrize("keep", [0, 1 << 20])
def test_unreadable_path_gives_a_reason(tmp_path: Path, keep: int) -> None:
    with pytest.raises(UnreadableError, match="No such file"):
        Source.load(tmp_path / "missing.txt", keep=keep)
    with pytest.raises(UnreadableError, match=re.compile("is a directory", re.IGNORECASE)):
        list(Source.load(tmp_path, keep=keep).lines())


def test_vanished_file_gives_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n")
    source = Source.load(path, keep=0)
    path.unlink()
    with pytest.raises(UnreadableError, match="No such file"):
        source.head()


@pytest.mark.parametrize(
    ("data", "ended"),
    [
        (b"a\nb\n", True),
        (b"a\nb", False),
        (b"a\r\nb\r\n", True),
        ("a\nb\n".encode("utf-16"), True),
        ("a\nb".encode("utf-16"), False),
        (gzip.compress(b"a\nb\n", mtime=0), True),
        (b"", False),
    ],
)
def test_source_knows_whether_its_last_line_ends(tmp_path: Path, data: bytes, ended: bool) -> None:
    source, path = Source(None, "x", data), tmp_path / "x"
    path.write_bytes(data)
    assert source.is_ended is Source(path, "x").is_ended is ended
    assert len(list(source.whole_lines(lambda _: True))) == (2 if ended else min(len(data), 1))
    assert len(list(source.whole_lines(lambda _: False))) == len(list(source.lines()))


@pytest.mark.parametrize(
    "line",
    [
        '{"metric":"vus","type":"Point","data":{"time":"2026-11-20T23:55:22Z","value":1}}\n',
        '{"attack":"","seq":0,"code":200,"timestamp":"2026-11-20T23:55:22Z","latency":1000}\n',
    ],
)
def test_timestamped_records_are_not_searched_for_reports(line: str, tmp_path: Path) -> None:
    path = tmp_path / "points.json"
    path.write_text(line * ((9 << 20) // len(line)))
    source, places = Source.load(path), list[int]()
    source.watch = places.append
    assert source.head().text.startswith(line)
    assert max(places) <= 2 << 20
