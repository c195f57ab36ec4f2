"""Marks of secrets are keyed: equal secrets share one, and guesses need the key."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import object_store
import pytest

from benchkit.errors import StoreError
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.stored import list_parts
from benchkit.redaction import redact_label
from benchkit.redaction.marks import HIDDEN, KEY_BYTES, VARIABLE, current_key, mark, use_key
from benchkit.redaction.texts import redact_query
from benchkit.store import Store
from benchkit.store.keys import NAME, keep_key, read_key

GO = "goos: linux\npkg: a\n" + "".join(
    f"BenchmarkGet/token=c0ffee{n} 1 {n} ns/op\n" for n in (11, 22)
)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(VARIABLE)
    before = current_key()
    use_key(b"1" * KEY_BYTES)
    yield
    use_key(before)


def names(store: Store) -> set[str]:
    return {part.benchmark for part in list_parts(store)}


def write(folder: Path, file: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(GO)
    return str(folder)


def test_mark_depends_on_the_key() -> None:
    first = mark("c0ffee"), redact_label("GET /a?token=c0ffee")
    assert len(first[0]) == len(HIDDEN) + 12
    assert first[0][1:] not in sha256(b"c0ffee").hexdigest()
    use_key(b"2" * KEY_BYTES)
    assert mark("c0ffee") != first[0]
    use_key(b"1" * KEY_BYTES)
    assert (mark("c0ffee"), redact_label("GET /a?token=c0ffee")) == first


@pytest.mark.parametrize("text", ["…fb0", "…0123456789ab", "…"])
def test_marks_of_any_build_are_kept(text: str) -> None:
    assert redact_query(f"key={text}") == f"key={text}"
    assert redact_label(f"wrk -x {text} http://h/?token={text}") == (
        f"wrk -x {text} http://h/?token={text}"
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_store_keeps_its_marks(tmp_path: Path, jobs: int) -> None:
    store = Store(str(tmp_path / "store"))
    first = write(tmp_path / "a", "go-1.txt"), write(tmp_path / "b", "go-1.txt")
    ingest(first, store, Options(origin="x"), jobs=jobs)
    before, key = names(store), read_key(store.url)
    assert len(before) == 2
    assert key is not None
    assert stat.S_IMODE((tmp_path / "store" / NAME).stat().st_mode) == 0o600
    use_key(b"2" * KEY_BYTES)  # another process
    ingest([write(tmp_path / "c", "go-2.txt")], store, Options(origin="x"), jobs=jobs)
    assert names(store) == before
    assert read_key(store.url) == key
    other = Store(str(tmp_path / "other"))
    ingest(first, other, Options(origin="x"), jobs=jobs)
    assert not names(other) & before


@pytest.mark.parametrize(("folder", "key"), [(0o755, 0o600), (0o2775, 0o640), (0o777, 0o644)])
def test_writers_to_a_store_may_read_its_key(tmp_path: Path, folder: int, key: int) -> None:
    store = tmp_path / "store"
    store.mkdir()
    store.chmod(folder)
    keep_key(str(store), b"a" * KEY_BYTES)
    assert stat.S_IMODE((store / NAME).stat().st_mode) == key


def test_key_of_the_first_writer_is_kept(tmp_path: Path) -> None:
    url = str(tmp_path / "store")
    first = keep_key(url, b"a" * KEY_BYTES)
    assert keep_key(url, b"b" * KEY_BYTES) == first == read_key(url)
    assert [path.name for path in tmp_path.rglob("*.key*")] == [NAME]


def test_second_writer_uses_the_key_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, reads = Store(str(tmp_path / "store")), [None]
    keep_key(store.url, b"a" * KEY_BYTES)
    monkeypatch.setattr(
        "benchkit.ingestion.commit.read_key",
        lambda url: reads.pop() if reads else read_key(url),
    )
    ingest([write(tmp_path / "a", "go-1.txt")], store)
    assert current_key() == b"a" * KEY_BYTES
    assert any(mark("c0ffee11") in name for name in names(store))


def test_second_writer_can_still_read_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, reads = Store(str(tmp_path / "store")), [None]
    keep_key(store.url, b"a" * KEY_BYTES)
    monkeypatch.setattr(
        "benchkit.ingestion.commit.read_key",
        lambda url: reads.pop() if reads else read_key(url),
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GO.encode())))
    assert ingest(["-"], store, Options(variant="none")).runs == 2


@pytest.mark.parametrize("content", [b"", b"a" * 5000, b"\xff" * 64])
def test_invalid_key_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(StoreError, match="no valid key"):
        read_key(str(tmp_path))


def test_planted_key_link_is_not_followed(tmp_path: Path) -> None:
    place = tmp_path / "key"
    place.write_text("a" * 64)
    os.mkfifo(tmp_path / "pipe")
    for target in (place, tmp_path / "pipe", Path("/dev/zero")):
        (tmp_path / NAME).unlink(missing_ok=True)
        (tmp_path / NAME).symlink_to(target)
        with pytest.raises(StoreError):
            read_key(str(tmp_path))
    (tmp_path / NAME).unlink()
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(StoreError):
        read_key(str(tmp_path))


def test_object_store_keeps_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with object_store.serve() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        url = "s3://bucket/store"
        assert read_key(url) is None
        key = keep_key(url, b"a" * KEY_BYTES)
        assert read_key(url) == key == b"a" * KEY_BYTES
