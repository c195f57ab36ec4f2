"""The digest of a file is that of its bytes up to the position reached, however it is read."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from benchkit.reading.rawfile import Checksum, RawFile

DATA = bytes(range(256)) * 4


@given(st.lists(st.tuples(st.integers(0, 1100), st.integers(1, 600)), max_size=12))
def test_digest_covers_what_was_read_without_gaps(turns: list[tuple[int, int]]) -> None:
    checksum, reached = Checksum(), 0
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.bin")
        path.write_bytes(DATA)
        with RawFile(path, checksum, None) as file:
            for place, size in turns:
                file.seek(place)
                chunk = file.read(size) or b""
                assert chunk == DATA[place : place + size]
                if place <= reached:
                    reached = max(reached, place + len(chunk))
    assert checksum.place == reached
    assert checksum.hexdigest() == hashlib.sha256(DATA[:reached]).hexdigest()


def test_watcher_gets_each_position(tmp_path: Path) -> None:
    path, places = tmp_path / "a.bin", list[int]()
    path.write_bytes(DATA)
    with io.BufferedReader(RawFile(path, Checksum(), places.append), 500) as stream:
        assert stream.read() == DATA
    assert places[-1] == len(DATA)
