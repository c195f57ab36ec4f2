"""Results of a commit, a web address or an object store become folders with their names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from unittest.mock import Mock
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import gated
import object_store
import pytest
from pyarrow import fs

from benchkit.cli import run
from benchkit.errors import DataError
from benchkit.ingestion import distant, objects, pages
from benchkit.ingestion.archives import Meter, TooLargeError
from benchkit.ingestion.discovery import Discovery, Options, discover

POLICY = "[policy]\non_inconclusive = 'fail'\n[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n"
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b.c")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository without a checkout, whose branch `benchkit-data` has the runs of main."""
    monkeypatch.chdir(tmp_path)
    for n in (1, 2):
        gated.write_runs(tmp_path / "main" / f"{n}.txt", seed=n, runs=5)
    (tmp_path / "main" / "run.toml").write_text("[env]\ncpu = 'Xeon'\n", encoding="utf-8")
    # changes that a checkout or an archive would make
    (tmp_path / ".gitattributes").write_text("*.txt export-ignore eol=crlf\n", encoding="utf-8")
    git("init", "-q", "-b", "benchkit-data")
    git("add", "main", ".gitattributes")
    git(*IDENTITY, "commit", "-q", "-m", "runs of main")
    return tmp_path


def git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def server(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as serving:
        Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()


def find(*arguments: str) -> Discovery:
    return discover(arguments, Options())


def test_each_query_of_an_address_is_a_separate_source(server: str) -> None:
    place = f"{server}/main/1.txt"
    queries = ["?job=1", "?job=2", "?job=2&token=c0ffee", "?token=beef00", "?key=a/1", "?key=b/1"]
    queries += ["?monkey=1", "?sv=1", "?sv=2", "?sig=1", "?Expires=1", "?Expires=2"]
    sources = [source for query in queries for source in find(place + query).found]
    addresses = [source.address for source in sources]
    assert len(set(addresses)) == len(queries)
    assert addresses[0] == f"{place}?job=1"
    assert not any(secret in str(sources) for secret in ("c0ffee", "beef00"))
    assert [source.label for source in sources] == addresses


@pytest.mark.parametrize(
    "signed", ["X-Amz-Signature={}", "AWSAccessKeyId=1&Signature={}&Expires=1", "sv=1&sig={}"]
)
def test_signature_is_not_part_of_an_address(server: str, signed: str) -> None:
    address = f"{server}/main/1.txt?job=1&{signed}"
    result = find(address.format(1), address.format(2))
    assert [source.address for source in result.found] == [f"{server}/main/1.txt?job=1"]
    assert [note.what.partition(":")[0] for note in result.notes] == ["passed over"]


def read(discovery: Discovery) -> dict[str, bytes]:
    return {source.label: source.path.read_bytes() for source in discovery.found if source.path}


def test_commit_is_read_as_committed(folder: Path) -> None:
    expected = {
        f"git:benchkit-data:main/{n}.txt": (folder / f"main/{n}.txt").read_bytes() for n in (1, 2)
    }
    shutil.rmtree(folder / "main")
    discovery = find("git:benchkit-data:main")
    assert read(discovery) == expected
    assert [source.sidecar.env for source in discovery.found] == [{"cpu": "Xeon"}] * 2
    assert [source.labels.variant for source in discovery.found] == ["main", "main"]
    assert discovery.skipped == [("git:benchkit-data:main/run.toml", "a sidecar")]
    assert [source.address for source in discovery.found] == list(expected)
    assert len(find("git:HEAD").found) == len(find("a=git:HEAD:/main/").found) == 2
    (one,) = find("git:HEAD:main/1.txt").found
    assert one.label == "git:HEAD:main/1.txt"


def commit_tree(*entries: tuple[str, str]) -> None:
    """Commit a tree with arbitrary names: for each its object, or nothing for that of a file."""
    blob = git("rev-parse", "HEAD:main/1.txt").strip()
    lines = [(b"100644 %s\0" % name.encode(), sha or blob) for name, sha in entries]
    Path("tree").write_bytes(b"".join(head + bytes.fromhex(sha) for head, sha in lines))
    tree = git("hash-object", "-t", "tree", "-w", "--literally", "tree").strip()
    git("update-ref", "refs/heads/odd", git(*IDENTITY, "commit-tree", tree, "-m", "odd").strip())


def test_commit_writes_only_below_its_copy(folder: Path) -> None:
    evil = str(folder / "evil.txt")
    names = (evil, "../evil.txt", ".", "..", "n" * 300, "1.txt", "1.txt/2.txt", "1.txt")
    commit_tree(*((name, "") for name in names))
    discovery = find("git:odd")
    assert [source.label for source in discovery.found] == ["git:odd/1.txt"]
    left_out = [name for _, copy in discovery.copies for name, _ in copy.left_out]
    assert left_out == [name for name in names if name != "1.txt"] + ["1.txt"]
    assert not list(folder.rglob("evil*"))


def test_links_and_submodules_of_a_commit_are_reported(folder: Path) -> None:
    for name in ("3.txt", "1.txt.run.toml"):
        (folder / "main" / name).symlink_to("1.txt")
    commit = git("rev-parse", "HEAD").strip()
    git("add", "main")
    git("update-index", "--add", "--cacheinfo", f"160000,{commit},main/other")
    git(*IDENTITY, "commit", "-q", "-m", "links")
    discovery = find("git:HEAD:main")
    assert [str(problem).partition(";")[0] for problem in discovery.diagnostics] == [
        "git:HEAD:main: left out 1.txt.run.toml and 3.txt: it is a link",
        "git:HEAD:main: left out other: it is a submodule",
        "git:HEAD:main/1.txt.run.toml: cannot read the sidecar: not valid UTF-8",
    ]
    assert [bool(each.sidecar.damage) for each in discovery.found] == [True, False]
    assert len(discovery.found) == 2


@pytest.mark.usefixtures("folder")
def test_folders_with_shared_content_are_not_written_endlessly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchkit.ingestion.distant._LISTING", 1 << 20)
    tree = git("rev-parse", "HEAD:main").strip()
    for _ in range(5):
        lines = "".join(f"040000 tree {tree}\td{n}\n" for n in range(10))
        made = subprocess.run(
            ["git", "mktree"], input=lines, check=True, capture_output=True, text=True
        )
        tree = made.stdout.strip()
    git("update-ref", "refs/heads/many", git(*IDENTITY, "commit-tree", tree, "-m", "many").strip())
    assert run(["runs", "git:many"]) == 3
    printed = capsys.readouterr().err
    assert "the commit was not read: git prints more than 1,048,576 bytes of it; name" in printed
    monkeypatch.setattr("benchkit.ingestion.archives.MEMBERS", 1_000)
    assert run(["runs", "git:many:d0/d1"]) == 3  # 1,000 folders of two files
    assert "it holds more than" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("path", ["main", "main/1.txt"])
def test_size_of_a_commit_is_limited(path: str) -> None:
    with pytest.raises(DataError, match=r"the commit was not read: .*100 bytes"):
        discover([f"git:HEAD:{path}"], Options(max_unpacked=100))


@pytest.mark.usefixtures("folder")
def test_object_missing_from_git_is_an_error() -> None:
    commit_tree(("1.txt", "12" * 20))
    with pytest.raises(DataError, match=rf"git lacks 1.txt \(object {'12' * 20}\)"):
        find("git:odd")


@pytest.mark.usefixtures("folder")
def test_copy_is_deleted_with_its_discovery() -> None:
    discovery = find("git:HEAD:main")
    (path, *_) = [source.path for source in discovery.found if source.path]
    assert path.is_file()
    del discovery
    assert not path.exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("git:nowhere", "unknown to git: fatal: Needed a single revision"),
        ("git:HEAD:nowhere", "unknown to git"),
        (
            "git:--all",
            "unknown to git: fatal: Needed a single revision; give a branch, tag or commit\n",
        ),
        ("git:", "unknown to git"),
        ("nowhere://x/y", "cannot copy it"),
        ("http://127.0.0.1:9/a.txt", "cannot fetch it"),
        ("http://[::1/a.txt", "invalid address: Invalid IPv6 URL"),
        ("http:///a.txt", "cannot fetch it: no host given"),
    ],
)
def test_unavailable_source_is_a_one_line_error(
    path: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["runs", path]) == 3
    printed = capsys.readouterr().err
    assert printed.startswith(f"benchkit: error: {path.partition('?')[0]}: {reason}")
    assert printed.count("\n") == 1


def test_web_address_is_a_file_or_an_archive(folder: Path, server: str) -> None:
    with tarfile.open(folder / "main.tar.gz", "w:gz") as archive:
        archive.add(folder / "main", "main")
    shutil.make_archive(str(folder / "runs"), "zip", folder, "main")
    one = find(f"{server}/main/1.txt?sv=1&sig=secret")
    assert list(read(one)) == [f"{server}/main/1.txt"]
    for name in ("main.tar.gz", "runs.zip"):
        labels = [source.label for source in find(f"base={server}/{name}").found]
        assert labels == [f"{server}/{name}/main/{n}.txt" for n in (1, 2)]
    (folder / "main.zip").write_bytes(b"PK no archive")
    for name, reason in (("nothing.txt", "HTTP 404"), ("main.zip", "cannot be unpacked")):
        with pytest.raises(DataError, match=reason):
            find(f"{server}/{name}")
    assert run(["runs", "-q", f"{server}/main/1.txt"]) == 0


def test_labels_come_from_the_original_location(folder: Path, server: str) -> None:
    result = (folder / "main/1.txt").read_bytes()
    git("mv", "main", "otlp")
    for name in ("wrk", "otlp/wrk-1.txt"):
        (folder / name).write_bytes(result)
        git("add", name)
    git(*IDENTITY, "commit", "-q", "-m", "more results")
    host = server.removeprefix("http://")
    other = host.replace("127.0.0.1", "localhost")
    variants = {
        f"{server}/wrk": host, f"{server}/otlp/wrk-1.txt": "otlp", "git:HEAD:wrk": "HEAD",
        "git:HEAD:otlp/wrk-1.txt": "otlp", (folder / "otlp/wrk-1.txt").as_uri(): "otlp",
    }  # fmt: skip
    for address, variant in variants.items():
        (one,) = find(address).found
        assert (address, one.shown_variant) == (address, variant)
    both = find(f"{server}/wrk", f"http://{other}/wrk").found
    assert [source.shown_variant for source in both] == [host, other]


@pytest.mark.parametrize("name", ["main.tar.gz", "runs.zip", "..zip"])
def test_local_archive_is_read_like_a_downloaded_one(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stem, _, ending = name.removesuffix(".gz").rpartition(".")
    shutil.make_archive(stem, "zip" if ending == "zip" else "gztar", folder, "main")
    sources = find(f"base={name}").found
    assert [source.label for source in sources] == [f"{folder / name}/main/{n}.txt" for n in (1, 2)]
    for _ in range(2):
        assert run(["ingest", name]) == 0
    assert "unchanged        2" in capsys.readouterr().out
    Path(name).write_bytes(b"PK no archive")
    with pytest.raises(DataError, match="cannot be unpacked"):
        find(name)


def test_archive_writes_only_below_its_copy(folder: Path, server: str) -> None:
    with tarfile.open(folder / "evil.tar", "w") as archive:
        archive.add(folder / "main/1.txt", "../../evil.txt")
        archive.add(folder / "main/1.txt", "1.txt")
    discovery = find(f"{server}/evil.tar")
    assert len(discovery.found) == 1
    (problem,) = discovery.diagnostics
    assert (problem.path, problem.severity) == (f"{server}/evil.tar", "warning")
    assert problem.what.startswith("left out ../../evil.txt: its path leads out of the folder")


def test_copy_stays_in_the_temporary_folder(folder: Path) -> None:
    places = [source.path for source in find(f"{(folder / 'main').as_uri()}/..").found]
    assert len(places) == 2
    for path in places:
        assert path is not None
        assert path.is_relative_to(tempfile.gettempdir())
        assert path.resolve().relative_to(tempfile.gettempdir()).parts[1:3] == ("results", "main")


@pytest.mark.parametrize(
    ("path", "name"),
    [("/a/..", "results"), ("/a/main", "main"), ("a\0b", "a_b"), ("", "results")],
)
def test_name_of_a_copy(path: str, name: str) -> None:
    assert distant._name_copy(path) == name


def test_object_store_address_is_a_folder_or_a_file(folder: Path) -> None:
    url = (folder / "main").as_uri()
    assert list(read(find(f"base={url}/"))) == [f"{url}/1.txt", f"{url}/2.txt"]
    assert list(read(find(f"{url}/1.txt"))) == [f"{url}/1.txt"]
    with pytest.raises(DataError, match="no such file or folder"):
        find(f"{url}/nothing")


def test_object_store_writes_only_below_its_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = fs._MockFileSystem()
    for name in ("1.txt", "../evil.txt"):
        store.create_dir("bucket/..")
        store.open_output_stream(f"bucket/{name}").close()
    opening = Mock(from_uri=lambda _: (store, "bucket"))
    monkeypatch.setattr(fs, "FileSystem", opening)
    with pytest.raises(DataError, match="is outside the folder that was named"):
        objects.copy("mock://bucket", tmp_path / "copy", "mock://bucket")


@pytest.mark.parametrize("place", ["main", "main/1.txt"])
def test_size_of_an_object_store_download_is_limited(folder: Path, place: str) -> None:
    with pytest.raises(DataError, match=r"not copied: .*more than 100 bytes"):
        discover([(folder / place).as_uri()], Options(max_unpacked=100))
    assert discover([(folder / place).as_uri()], Options(max_unpacked=1 << 20)).found


def test_object_larger_than_listed_is_refused(tmp_path: Path) -> None:
    store = fs._MockFileSystem()
    store.create_dir("bucket")
    with store.open_output_stream("bucket/1.txt") as stream:
        stream.write(bytes(2000))
    with pytest.raises(TooLargeError, match="more than 1,000 bytes"):
        objects._copy_files(store, [("bucket/1.txt", tmp_path / "1.txt")], Meter(None, 1000))


def test_slow_object_store_hits_the_deadline(folder: Path) -> None:
    # a separate process: it must end although a thread still waits for the store
    code = (
        "import sys\nfrom benchkit.ingestion import distant, objects, pages\n"
        "pages.DEADLINE = 1.0\ndistant.bring(sys.argv[1])"
    )
    with object_store.serve() as settings:
        server = settings["AWS_ENDPOINT_URL"]
        request = Request(f"{server}/b/main/1.drip", data=bytes(1000), method="PUT")  # noqa: S310 - of this test
        urlopen(request).close()  # noqa: S310
        url = f"s3://b/main?scheme=http&endpoint_override={urlsplit(server).netloc}"
        done = subprocess.run(
            [sys.executable, "-c", code, url],
            env={**os.environ, **settings}, cwd=folder, capture_output=True, text=True,
            check=False, timeout=60,
        )  # fmt: skip
    assert "s3://b/main: copying takes longer than 1 s" in done.stderr


def test_waiting_git_hits_the_deadline(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git = folder / "bin" / "git"
    git.parent.mkdir()
    git.write_text("#!/bin/sh\nsleep 60 & wait\n", encoding="utf-8")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(git.parent), prepend=os.pathsep)
    monkeypatch.setattr(pages, "DEADLINE", 0.5)
    assert run(["runs", "git:HEAD:main"]) == 3
    assert "git:HEAD:main: git takes longer than 0.5 s" in capsys.readouterr().err


def test_local_address_accepts_only_regular_files(folder: Path) -> None:
    with pytest.raises(DataError, match="/dev/zero is not a file; give it without file://"):
        find("file:///dev/zero")
    os.mkfifo(folder / "main" / "pipe")
    with pytest.raises(DataError, match="pipe is not a file"):
        find((folder / "main").as_uri())
    (folder / "main" / "pipe").unlink()
    (folder / "main" / "circle").symlink_to(folder / "main")
    with pytest.raises(DataError, match="circle is a link to a folder"):
        find((folder / "main").as_uri())


@pytest.mark.parametrize("url", [True, False])
def test_store_cannot_be_combined_with_files(folder: Path, *, url: bool) -> None:
    assert run(["ingest", "-q", "main", "--store", "kept"]) == 0
    named = (folder / "kept").as_uri() if url else "kept"
    assert run(["runs", "-q", named]) == 0
    with pytest.raises(DataError, match="cannot be combined"):
        find(named, "main")


@pytest.mark.parametrize("place", ["git:benchkit-data:main", "file", "http"])
@pytest.mark.parametrize(("cost", "cpu", "code"), [(0.0, "Xeon", 0), (0.2, "Xeon", 1), (0, "A", 4)])
def test_gate_against_a_remote_baseline(
    place: str, cost: float, cpu: str, code: int, folder: Path, server: str
) -> None:
    (folder / "benchkit.toml").write_text(POLICY, encoding="utf-8")
    gated.write_runs(folder / "results" / "bench.txt", seed=3, cost=cost)
    (folder / "results/run.toml").write_text(f"[env]\ncpu = '{cpu}'\n", encoding="utf-8")
    shutil.make_archive(str(folder / "main"), "zip", folder, "main")
    places = {"file": (folder / "main").as_uri(), "http": f"{server}/main.zip"}
    assert run(["gate", "-q", f"base={places.get(place, place)}", "new=results"]) == code
