"""An archive writes only below its folder, and no more than the limits allow."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import benchkit as bk
from benchkit.cli import run
from benchkit.errors import ConfigError, DataError
from benchkit.ingestion import archives
from benchkit.reading.bounds import OPTION, parse_limit
from benchkit.reading.source import Source, UnreadableError

BOMB = 100 << 20
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LEFT_OUT = (
    "none/wrk-1.txt: a later file has the same name, and is read instead",
    "../wrk-2.txt and /wrk-3.txt: its path leads out of the folder it is unpacked to",
    "none/wrk-4.txt and none/wrk-5.txt: it is a link",
    "none/wrk-6.txt and none/wrk-7.txt: it is a pipe or a device",
)


def write_zip(path: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def write_tar(path: Path, mode: str, **files: bytes) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            add(archive, name, data)
    return path


def add(archive: tarfile.TarFile, name: str, data: bytes, kind: bytes = tarfile.REGTYPE) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.type, member.linkname = len(data), kind, "none/wrk-1.txt"
    archive.addfile(member, io.BytesIO(data))


def unpack(path: Path, left_out: Sequence[str] = ()) -> dict[str, bytes]:
    target = path.parent / "unpacked"
    unfit = archives.unpack(path, target, "https://host/a")
    assert [name for name, _ in unfit] == list(left_out)
    assert not [reason for _, reason in unfit if str(target) in reason]
    files = (file for file in target.rglob("*") if file.is_file())
    return {file.relative_to(target).as_posix(): file.read_bytes() for file in files}


def test_every_archive_type_is_unpacked(tmp_path: Path) -> None:
    files = {"a.txt": b"a", "main/b.txt": b"b"}
    modes = {
        ".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.xz": "w:xz", ".txz": "w:xz",
        ".tar.bz2": "w:bz2", ".tbz2": "w:bz2",
    }  # fmt: skip
    for ending, mode in modes.items():
        folder = tmp_path / ending[1:]
        folder.mkdir()
        assert unpack(write_tar(folder / f"a{ending}", mode, **files)) == files
    assert unpack(write_zip(tmp_path / "a.zip", **files)) == files


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_archive_bomb_is_refused_before_it_fills_the_disk(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    data = bytes(BOMB)
    path = write_zip(path, a=data) if kind == "zip" else write_tar(path, "w:gz", a=data)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(DataError, match="unpacks to more than 250 times its size"):
        unpack(path)
    written = sum(file.stat().st_size for file in tmp_path.rglob("*") if file != path)
    assert written <= 65 << 20


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_unpacked_size_limit_can_be_set(tmp_path: Path, kind: str) -> None:
    path, data = tmp_path / f"a.{kind}", bytes(range(256)) * 8192
    path = write_zip(path, a=data) if kind == "zip" else write_tar(path, "w", a=data)
    with pytest.raises(DataError, match="more than 1,048,576 bytes") as error:
        archives.unpack(path, tmp_path / "unpacked", "https://host/a", 1 << 20)
    assert error.value.where == "https://host/a"
    assert OPTION in error.value.hint
    with pytest.raises(ConfigError, match="'much' is not a size"):
        parse_limit("much")


def test_gzip_has_the_same_size_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(f"BenchmarkA 1000 {number} ns/op\n" for number in range(5_000))
    path = tmp_path / "base.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert run(["runs", str(path), "--max-unpacked", "200KiB"]) == 0
    assert "unpacks" not in capsys.readouterr().err
    assert run(["check", str(path), "--max-unpacked", "100KiB"]) == 3
    err = capsys.readouterr().err
    assert "unpacks to more than 102,400 bytes; if you trust it, unpack it or pass" in err
    assert run(["runs", str(path), "--max-unpacked", "much"]) == 2


def test_every_reading_command_accepts_max_unpacked(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "compare", "export", "gate", "ingest", "plan", "report", "runs"):
        words = [command, "https://127.0.0.1:9/a.zip", "--max-unpacked", "much"]
        assert run(words) == 2
        assert "'much' is not a size" in capsys.readouterr().err


def test_gzip_is_limited_by_its_compression_ratio(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    for size in (BOMB, 4_800_000):  # the second one took 27 s and 1.2 GB as a list of times
        path.write_bytes(gzip.compress(b"GET /\n" * (size // 6), mtime=0))
        _refuses_ratio(path)


def test_small_or_highly_compressible_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "good.txt.gz"
    lines = b"".join(b"GET /%d %s\n" % (n, b"a" * 600) for n in range(9_000))
    for text in (bytes(1 << 20), lines):
        path.write_bytes(packed := gzip.compress(text, mtime=0))
        assert len(text) > 100 * len(packed)
        assert sum(map(len, Source.load(path).blocks())) == len(text)


def _refuses_ratio(path: Path) -> None:
    with pytest.raises(UnreadableError, match="unpacks to more than 250 times its size"):
        for _ in Source.load(path).blocks():
            pass


def test_number_of_gzip_members_is_limited(tmp_path: Path) -> None:
    data = gzip.compress(b"") * 150_000
    for name in ("a.txt.gz", "a.tar.gz"):
        (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableError, match="it has more than 100,000 members"):
        list(Source.load(tmp_path / "a.txt.gz").blocks())
    with pytest.raises(DataError, match="it has more than 100,000 members"):
        unpack(tmp_path / "a.tar.gz")


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_number_of_files_is_limited(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MEMBERS", 10)
    path, files = tmp_path / f"a.{kind}", {f"{n}.txt": b"" for n in range(11)}
    path = write_zip(path, **files) if kind == "zip" else write_tar(path, "w", **files)
    with pytest.raises(DataError, match="more than 10 files"):
        unpack(path)
    written = [file for file in tmp_path.rglob("*.txt") if file != path]
    assert kind == "tar" or not written  # the directory of a zip is counted first


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_implied_folders_count_towards_the_limit(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MEMBERS", 100)
    files = {"/".join([str(n), *"abcdefghijk"]): b"x" for n in range(20)}
    path = tmp_path / f"a.{kind}"
    write_zip(path, **files) if kind == "zip" else write_tar(path, "w:gz", **files)
    with pytest.raises(DataError, match="it holds more than 100 files"):
        unpack(path)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_depth_is_limited(tmp_path: Path, kind: str) -> None:
    files = {"d/" * 2000 + "x": b"x"}
    path = tmp_path / f"a.{kind}"
    write_zip(path, **files) if kind == "zip" else write_tar(path, "w:gz", **files)
    with pytest.raises(DataError, match="its folders are more than 64 deep") as refused:
        unpack(path)
    assert refused.value.hint == "if you trust it, unpack it yourself"


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_header_size_is_limited(tmp_path: Path, form: int) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz", format=form) as archive:
        archive.addfile(tarfile.TarInfo("x" * (2 << 20)))
    with pytest.raises(DataError, match="it contains a name longer than 65,536 bytes"):
        unpack(path)


def test_zip_writes_only_below_its_folder(tmp_path: Path) -> None:
    names = ("../evil.txt", "/evil.txt", "..\\evil.txt", "a/../../evil.txt", "C:\\evil.txt")
    path = write_zip(tmp_path / "a.zip", **dict.fromkeys(names, b"evil"), good=b"good")
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    assert unpack(path, left_out=[*names, "link"]) == {"good": b"good"}
    assert not list(tmp_path.rglob("evil*"))


def test_tar_writes_only_below_its_folder(tmp_path: Path) -> None:
    names = ("../evil.txt", "a/../../evil.txt", "/evil.txt", f"{tmp_path}/evil.txt")
    path = write_tar(tmp_path / "a.tar", "w", **dict.fromkeys(names, b"evil"), good=b"good")
    assert unpack(path, left_out=names) == {"good": b"good"}
    assert not list(tmp_path.rglob("evil*"))


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_invalid_name_costs_one_file(tmp_path: Path, kind: str) -> None:
    long = "n" * 300
    files = {"a.txt": b"a", long: b"", f"{long}/b": b"", "a.txt/b": b"", "d/e": b"e", "d": b""}
    path = tmp_path / f"a.{kind}"
    path = write_zip(path, **files) if kind == "zip" else write_tar(path, "w", **files)
    left_out = [long, f"{long}/b", "a.txt/b", "d"]
    assert unpack(path, left_out) == {"a.txt": b"a", "d/e": b"e"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_second_zip_member_of_the_same_name_is_left_out(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", a=b"first", b=b"b")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("a", b"second")
    assert unpack(path, ["a"]) == {"a": b"first", "b": b"b"}


def test_later_tar_member_replaces_the_earlier_one(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", "w", a=b"first", b=b"b")
    with tarfile.open(path, "a") as archive:
        add(archive, "a", b"second")
    assert unpack(path, ["a"]) == {"a": b"second", "b": b"b"}


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an archive with one result and members of every kind that is left out."""
    monkeypatch.chdir(tmp_path)
    report = (FIXTURES / "tracing-wrk/none/wrk-1.txt").read_bytes()
    with tarfile.open("a.tar", "w") as archive:
        add(archive, "none/wrk-1.txt", report)
        add(archive, "none/wrk-1.txt", report.replace(b"10406", b"20406"))
        for name in ("../wrk-2.txt", "/wrk-3.txt"):
            add(archive, name, report)
        add(archive, "none", b"", tarfile.DIRTYPE)
        add(archive, "none/wrk-4.txt", b"", tarfile.SYMTYPE)
        add(archive, "none/wrk-5.txt", b"", tarfile.LNKTYPE)
        add(archive, "none/wrk-6.txt", b"", tarfile.FIFOTYPE)
        add(archive, "none/wrk-7.txt", b"", tarfile.CHRTYPE)
    return "a.tar"


@pytest.mark.parametrize(
    "command", ["runs", "layout", "check", "report", "gate", "export", "compare", "ingest"]
)
def test_every_command_reports_left_out_members(
    packed: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run([command, packed, "-o", "out.md" if command == "report" else "out"])
    shown = capsys.readouterr().err
    place = Path(packed).resolve()
    for reason in LEFT_OUT:
        assert shown.count(f"{place}: left out {reason}") == 1


def test_diagnostics_list_left_out_members(packed: str) -> None:
    problems = bk.load(packed).diagnostics
    assert [problem.what.removeprefix("left out ") for problem in problems] == list(LEFT_OUT)
    assert {problem.severity for problem in problems} == {"warning"}


def test_archive_without_usable_files_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_zip(tmp_path / "a.zip", **{"../wrk-1.txt": b"x"})
    assert run(["runs", str(path)]) != 0
    assert "no file to read; left out ../wrk-1.txt: its path leads" in capsys.readouterr().err


def test_damaged_header_gives_a_readable_error(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    member = tarfile.TarInfo("p")
    member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member)
    with pytest.raises(DataError, match=r"cannot be unpacked: a header is damaged$"):
        unpack(path)


@pytest.mark.parametrize("time", ["inf", "1e30", "nan", "-1e30"])
def test_out_of_range_timestamp_is_ignored(tmp_path: Path, time: str) -> None:
    path = tmp_path / "a.tar"
    member = tarfile.TarInfo("a")
    member.pax_headers, member.size = {"mtime": time}, 1
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member, io.BytesIO(b"a"))
    assert unpack(path) == {"a": b"a"}


def write_sparse(path: Path, size: int, *, is_continued: bool = False) -> Path:
    """Write a member of one byte that its GNU header declares to be sparse."""
    header = bytearray(tarfile.TarInfo("a").tobuf(tarfile.GNU_FORMAT))
    header[124:136], header[156:157] = b"%011o\0" % 512, b"S"
    header[386:410] = b"%011o\0" % (size - 512) + b"%011o\0" % 512
    header[482:483], header[483:495] = bytes([is_continued]), b"%011o\0" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path.write_bytes(bytes(header) + (b"" if is_continued else b"a" * 512 + bytes(1024)))
    return path


def test_holes_of_sparse_files_count_towards_the_limit(tmp_path: Path) -> None:
    small = write_sparse(tmp_path / "a.tar", 2048)
    assert unpack(small) == {"a": bytes(1536) + b"a" * 512}
    with pytest.raises(DataError, match="was not unpacked"):
        archives.unpack(write_sparse(small, BOMB), tmp_path / "large", "a")
    written = sum(file.stat().st_size for file in (tmp_path / "large").rglob("*"))
    assert written < BOMB / 10


def test_truncated_hole_list_is_an_error(tmp_path: Path) -> None:
    path = write_sparse(tmp_path / "a.tar", 2048, is_continued=True)
    with pytest.raises(DataError, match=r"cannot be unpacked: a header is damaged$"):
        unpack(path)


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
@pytest.mark.parametrize("size", [1024, 1024 + 200, 1024 + 511])
def test_tar_truncated_between_two_files_is_an_error(tmp_path: Path, kind: str, size: int) -> None:
    path = write_tar(tmp_path / "a.tar", "w", a=b"a", b=b"b")
    data = path.read_bytes()[:size]  # a header and its file, and perhaps part of the next one
    path = tmp_path / f"b.{kind}"
    path.write_bytes(gzip.compress(data) if kind == "tar.gz" else data)
    with pytest.raises(DataError, match="cannot be unpacked: it is truncated"):
        unpack(path)


def test_damaged_header_is_not_the_end_of_a_tar(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", "w", a=b"a", b=b"b")
    data = bytearray(path.read_bytes())
    data[1024 + 100 : 1024 + 160] = b"\xff" * 60
    path.write_bytes(data)
    with pytest.raises(DataError, match="cannot be unpacked: a header is damaged"):
        unpack(path)


@pytest.mark.parametrize("size", [1024 + 512, 1024 + 1024, 10240])
def test_data_after_the_end_of_a_tar_is_reported(tmp_path: Path, size: int) -> None:
    path = write_tar(tmp_path / "a.tar", "w", a=b"a")
    other = write_tar(tmp_path / "b.tar", "w", b=b"b")
    path.write_bytes(path.read_bytes()[:size] + other.read_bytes())
    assert unpack(path, ["what follows its end"]) == {"a": b"a"}


def test_long_chain_of_headers_gives_a_readable_error(tmp_path: Path) -> None:
    member = tarfile.TarInfo("a")
    member.pax_headers = {"comment": "a"}
    header = member.tobuf(tarfile.PAX_FORMAT)[:1024]
    (tmp_path / "a.tar").write_bytes(header * 4_000)
    with pytest.raises(DataError, match="a single file has hundreds of headers"):
        unpack(tmp_path / "a.tar")


def test_sidecar_problems_name_the_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("none/1.txt", Path("fixtures/tracing-wrk/none/wrk-1.txt").read_text())
        packed.writestr("none/run.toml", "speed = 1\nexit = 'x'\n")
    loaded = bk.load(tmp_path / "a.zip")
    place = f"{tmp_path}/a.zip/none/run.toml"
    assert {each.where for each in loaded.diagnostics} == {f"{place}:1", f"{place}:2"}
    (remark,) = loaded.runs["remark"]
    assert remark.startswith(f"{tmp_path}/a.zip/none/1.txt: {place}:2: ")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", ["link", "pipe", "encrypted", "second"])
def test_sidecar_left_out_of_an_archive_makes_its_run_damaged(tmp_path: Path, kind: str) -> None:
    report = Path("fixtures/tracing-wrk/none/wrk-1.txt").read_bytes()
    name, tar = "none/1.txt.run.toml", {"link": tarfile.SYMTYPE, "pipe": tarfile.FIFOTYPE}
    if kind in tar:
        path = write_tar(tmp_path / "a.tar", "w", **{"none/1.txt": report})
        with tarfile.open(path, "a") as archive:
            add(archive, name, b"", tar[kind])
    else:
        path = write_zip(tmp_path / "a.zip", **{"none/1.txt": report, name: b""})
        if kind == "second":
            with zipfile.ZipFile(path, "a") as again:
                again.writestr(name, "exit_code = 1")
        else:
            data = bytearray(path.read_bytes())
            data[data.rindex(b"PK\x01\x02") + 8] |= 1
            path.write_bytes(data)
    loaded = bk.load(path)
    assert loaded.runs["role"].tolist() == ["damaged"]
    assert "its runs count as damaged" in loaded.runs["remark"][0]
