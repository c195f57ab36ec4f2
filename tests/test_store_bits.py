"""A flipped bit in a stored file costs that file, never the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.errors import StoreError
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

RESULTS = Path(__file__).resolve().parent.parent / "fixtures/tracing-wrk/none/wrk-1.txt"


@pytest.mark.usefixtures("unsigned")
def test_flipped_bit_in_a_page_is_damage_when_values_are_read(tmp_path: Path) -> None:
    """At some of these delta-rs' Parquet reader ended the process, at others it read on."""
    store = Store(str(tmp_path))
    ingest([str(RESULTS)], store)
    (path,) = tmp_path.glob("values/raw=false/*.parquet")
    sound = path.read_bytes()
    expected, is_damaged = store.values(), set()
    pages = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    for at in range(4, pages, 17):
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 8]) + sound[at + 1 :])
        try:
            values = store.values()
        except StoreError as error:
            is_damaged.add(error.where)
            continue
        assert values == expected, at  # a bit of a page's header that nobody reads
        assert store.check() == [], at
    assert is_damaged == {str(path)}


@pytest.mark.usefixtures("unsigned")
def test_flipped_bit_in_a_footer_name_is_damage_that_repair_drops(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    ingest([str(RESULTS)], store)
    (path,) = tmp_path.glob("values/raw=false/*.parquet")
    data = bytearray(path.read_bytes())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    data[data.find(b"metric", footer) + 2] ^= 128  # a name that is not text
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        store.values()
    assert [Path(one.path).name for one in store.check()] == [path.name]


@pytest.mark.usefixtures("unsigned")
@pytest.mark.parametrize("name", ["params", "variant", "role", "origin", "env"])
def test_flipped_bit_in_a_column_name_is_damage(tmp_path: Path, name: str) -> None:
    """Under another name nobody read the column, and the expected column counted as empty."""
    store = Store(str(tmp_path))
    ingest([str(RESULTS)], store)
    (path,) = tmp_path.glob("runs/*.parquet")
    data = bytearray(path.read_bytes())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    text = bytes([len(name)]) + name.encode()
    at = -1
    for _ in range(data.count(text, footer)):
        at = data.find(text, max(at + 1, footer))
        data[at + 1] ^= 1
    path.write_bytes(data)
    with pytest.raises(StoreError, match="has columns other than those of its table"):
        store.pieces()
    assert [Path(one.path).name for one in store.check()] == [path.name]


def test_every_flipped_bit_of_a_data_file_is_detected(tmp_path: Path) -> None:
    """At the end of a file, which describes how to read it, they yielded other values, or none."""
    store = Store(str(tmp_path))
    ingest([str(RESULTS)], store)
    pieces, paths = store.pieces(), sorted(tmp_path.glob("*/**/*-*.parquet"))
    assert {path.relative_to(tmp_path).parts[0] for path in paths} == {"runs", "values"}
    for path in paths:
        sound = path.read_bytes()
        for at in range(3, len(sound), len(sound) // 16):
            path.write_bytes(sound[:at] + bytes([sound[at] ^ 1 << at % 8]) + sound[at + 1 :])
            assert [one.where for one in store.check()] == [str(path)], at
            if path.parent.name == "runs":
                with pytest.raises(StoreError, match=f"{path.name}: .* the checksum in its name"):
                    Store(str(tmp_path)).pieces()
        path.write_bytes(sound)
    assert store.check() == []
    assert Store(str(tmp_path)).pieces() == pieces


def test_deep_nesting_at_the_end_of_a_log_entry_is_damage(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    ingest([str(RESULTS)], store)
    entry = tmp_path / "values/_delta_log/00000000000000000000.json"
    entry.write_text(entry.read_text() + '\n{"a":' + "[" * 200_000)
    with pytest.raises(StoreError, match="damaged"):
        store.values()
