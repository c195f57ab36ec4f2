"""Credentials of an address go only to its host, and no redirect changes the scheme."""

from __future__ import annotations

import base64
import io
import socket
import time
from collections.abc import Iterator
from http.client import HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from threading import enumerate as enumerate_threads
from urllib.request import Request

import pytest

from benchkit.cli import run
from benchkit.errors import DataError
from benchkit.ingestion import distant, pages

SECRET = "s3cr3t"  # noqa: S105 - what must not be found
#: Secrets without a telling name: recognised by their place in a query, or their shape.
CODE = f"{SECRET}plxlOBeZQQYbYS6WxSbIA"
AWS = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\\nMIIE{SECRET}\\n-----END RSA PRIVATE KEY-----"
BASIC = "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()


class Handler(BaseHTTPRequestHandler):
    """Responds with its header, or redirects to the address in the path."""

    def do_GET(self) -> None:
        if "/to/" in self.path:  # after the host, if this is a proxy
            self.send_response(302)
            self.send_header("Location", self.path.partition("/to/")[2])
            self.end_headers()
            return
        if self.path == "/headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Any: ")
            for _ in range(30):
                self.wfile.write(b"x")
                time.sleep(0.05)
            return
        named = [self.headers[name] for name in ("Authorization", "Proxy-Authorization")]
        body = " ".join(filter(None, named)).encode() or b"none"
        self.send_response(200)
        missing = 1000 if self.path == "/cut" else 0
        length = -5 if self.path == "/negative" else len(body) + missing
        self.send_header("Content-Length", str(length))
        self.end_headers()
        for part in (bytes([byte]) for byte in body):
            self.wfile.write(part)
            time.sleep(0.1 if self.path == "/slow" else 0)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def hosts() -> Iterator[tuple[str, str]]:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    for server in servers:
        Thread(target=server.serve_forever, daemon=True).start()
    first, second = (f"127.0.0.1:{server.server_port}" for server in servers)
    yield first, second
    for server in servers:
        server.shutdown()
        server.server_close()


def fetch(address: str, folder: Path) -> str:
    pages.fetch(address, folder / "answer", "shown")
    return (folder / "answer").read_text()


def test_redirect_loop_is_a_one_line_error(hosts: tuple[str, str], tmp_path: Path) -> None:
    address = "/to/" * 12 + f"http://{hosts[0]}/headers"
    with pytest.raises(DataError, match=r"HTTP 302 and redirects in a loop$"):
        fetch(f"http://{hosts[0]}{address}", tmp_path)


def test_credentials_go_only_to_their_host(
    hosts: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved: list[object] = []
    resolve = socket.getaddrinfo

    def note(host: str, *rest: int) -> object:
        resolved.append(host)
        return resolve(host, *rest)

    monkeypatch.setattr(socket, "getaddrinfo", note)
    first, second = hosts
    assert fetch(f"http://{first}/a", tmp_path) == "none"
    assert fetch(f"http://me:{SECRET}@{first}/a", tmp_path) == BASIC
    assert fetch(f"http://me:{SECRET}@{first}/to/http://{first}/a", tmp_path) == BASIC
    assert fetch(f"http://me:{SECRET}@{first}/to/http://{second}/a", tmp_path) == "none"
    assert fetch(f"http://{first}/to/http://me:{SECRET}@{second}/a", tmp_path) == BASIC
    assert fetch(f"http://me:other@{first}/to/http://me:{SECRET}@{first}/a", tmp_path) == BASIC
    assert set(resolved) == {"127.0.0.1"}


def test_proxy_credentials_go_only_to_the_proxy(
    hosts: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, host = hosts
    for name, value in {"http_proxy": f"http://me:{SECRET}@{proxy}", "no_proxy": host}.items():
        monkeypatch.setenv(name, value)
    assert fetch("http://localhost/a", tmp_path) == BASIC
    assert fetch("http://localhost/to/http://localhost/a", tmp_path) == BASIC
    assert fetch(f"http://localhost/to/http://{host}/a", tmp_path) == "none"


def test_negative_response_length_is_an_error(hosts: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the response has a negative length"):
        fetch(f"http://{hosts[0]}/negative", tmp_path)


def test_truncated_response_is_an_error(
    hosts: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError, match="the response is truncated: 1,000 bytes are missing"):
        fetch(f"http://{hosts[0]}/cut", tmp_path)
    assert run(["runs", f"http://{hosts[0]}/cut"]) == 3
    assert "the response is truncated" in capsys.readouterr().err


def test_trickling_response_is_an_error(
    hosts: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_TIMEOUT", 0.2)
    with pytest.raises(DataError, match="slower than 1000 bytes per second"):
        fetch(f"http://{hosts[0]}/slow", tmp_path)


def test_trickling_header_is_an_error(
    hosts: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_TIMEOUT", 0.5)
    with pytest.raises(DataError, match=r"the server sent no complete header within 0\.5 s"):
        fetch(f"http://{hosts[0]}/headers", tmp_path)
    (download,) = [thread for thread in enumerate_threads() if thread.name == "download"]
    download.join()


def test_redirect_to_another_scheme_is_refused(hosts: tuple[str, str], tmp_path: Path) -> None:
    for target in (f"https://{hosts[1]}/a", "ftp://127.0.0.1/a", "file:///etc/passwd"):
        with pytest.raises(DataError, match=r"redirects from http to|is not allowed"):
            fetch(f"http://{hosts[0]}/to/{target}", tmp_path)


#: Addresses to which the names of these tests resolve.
PLACES = {
    "public.test": "93.184.215.14",
    "metadata.test": "169.254.169.254",
    "mapped.test": "::ffff:10.0.0.1",
    "lan.test": "192.168.0.2",
}


@pytest.fixture
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = socket.getaddrinfo

    def look_up(host: str, port: int | None, *rest: int) -> object:
        """Look up a name; lookups with a port resolve to this machine."""
        return resolve("127.0.0.1" if port else PLACES.get(host, host), port, *rest)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def follow(before: str, after: str) -> str:
    request = Request(f"http://{before}/a")
    headers = HTTPMessage()
    redirected = pages._Redirects().redirect_request(
        request, io.BytesIO(), 302, "Found", headers, f"http://{after}/b"
    )
    assert redirected is not None
    return redirected.full_url


@pytest.mark.usefixtures("_names")
@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("93.184.215.14", "169.254.169.254", "link-local"),
        ("public.test", "metadata.test", "link-local"),
        ("public.test", "2852039166", "link-local"),
        ("public.test", "127.0.0.1:8080", "loopback"),
        ("public.test", "0", "loopback"),
        ("public.test", "[::1]", "loopback"),
        ("public.test", "mapped.test", "private"),
        ("public.test", "[fd00::1]", "private"),
        ("lan.test", "metadata.test", "link-local"),
    ],
)
def test_redirect_into_a_private_network_is_refused(before: str, after: str, kind: str) -> None:
    with pytest.raises(OSError, match=f"redirects to .*, a {kind} address"):
        follow(before, after)


@pytest.mark.usefixtures("_names")
def test_redirect_between_hosts_of_one_kind_is_followed() -> None:
    for before, after in (
        ("public.test", "1.1.1.1"),
        ("10.0.0.1", "lan.test"),
        ("lan.test", "a.invalid"),
    ):
        assert follow(before, after) == f"http://{after}/b"


@pytest.mark.usefixtures("_names")
def test_redirect_error_says_what_to_do(
    hosts: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    place = f"http://public.test:{hosts[0].partition(':')[2]}/to/http://{hosts[1]}/a.txt"
    assert run(["runs", place]) == 3
    assert capsys.readouterr().err == (
        f"benchkit: error: {place}: cannot fetch it: redirects to 127.0.0.1, a loopback address; "
        "if you trust the redirect, use its target address\n"
    )


def test_scheme_is_case_insensitive(hosts: tuple[str, str], tmp_path: Path) -> None:
    copy = distant.bring(f"HTTP://{hosts[0]}/a.txt")
    assert (copy.name, copy.path.read_text()) == (f"http://{hosts[0]}/a.txt", "none")
    (tmp_path / "a.txt").write_text("x")
    assert distant.bring(f"FILE://{tmp_path}/a.txt").path.read_text() == "x"


def test_download_size_is_limited(
    hosts: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["runs", f"http://me:{SECRET}@{hosts[0]}/a.txt", "--max-unpacked", "10B"]) == 3
    message = (
        f"http://{hosts[0]}/a.txt: cannot fetch it: it has more than 10 bytes; if you trust it, "
    )
    assert f"{message}pass --max-unpacked 1GiB\n" in capsys.readouterr().err  # and from the server


def test_messages_show_no_secret(
    hosts: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    addresses = (
        f"http://me:{SECRET}@{hosts[0]}/a.txt?X-Amz-Signature={SECRET}",
        f"http://me:{SECRET}@127.0.0.1:9/a.txt?X-Amz-Signature={SECRET}",
        f"http://me:{SECRET}@[::1/a.txt?sig={SECRET}",
        *(f"http://me:{SECRET}{sign}{SECRET}@{hosts[0]}/a.txt" for sign in "/?#"),
        f"http://me:{SECRET}@no.such.host.invalid/a.txt?sig={SECRET}#token={SECRET}",
    )
    for address in addresses:
        for words in (["runs", address], ["ingest", f"main={address}"], ["gate", address]):
            assert run(words) != 0
            streams = capsys.readouterr()
            assert SECRET not in streams.out + streams.err


WRK = """# GET /ping?token={secret}

$ {command}
Running 10s test @ http://127.0.0.1:8080/ping?{query}
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms    1.00ms  10.00ms   90.00%
    Req/Sec     1.00k     10.00     1.10k    90.00%
  20000 requests in 10.00s, 2.00MB read
Requests/sec:   {rate}.00
Transfer/sec:    204.80KB
"""


@pytest.mark.parametrize("query", ["code={}", "sid={}", "hmac={}", "q={}", "{}", "a=1&code={}"])
def test_output_shows_no_secret_of_a_command(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    secrets = (SECRET, AWS)
    command = (
        f"bash -lc \"ulimit -n 9; wrk -t2 -c8 -d10s -H 'X-T: {SECRET}' --jwt {SECRET} "
        'http://127.0.0.1:8080/ping"'
    )
    (tmp_path / "benchkit.toml").write_text(f"[env]\ndb_password = '{SECRET}'\n")
    for variant in ("none", "otlp"):
        for n in range(1, 4):
            path = tmp_path / "results" / variant / f"wrk-{n}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            blocks = (
                WRK.format(
                    command=command,
                    rate=2000 + 10 * n + ord(variant[0]),
                    secret=SECRET,
                    query=query.format(f"{side}{CODE}"),
                )
                for side in "AB"
            )
            path.write_text("\n".join(blocks), encoding="utf-8")
            argv = f"argv = ['tool', '--jwt', '{SECRET}']\n[params]\napi_token = '{SECRET}'\n"
            argv += f"note = 'password={SECRET}'\n[env]\nurl = 'http://me:{SECRET}@h/'\n"
            argv += f"MYSQL_PWD = '{SECRET}'\naws = '{AWS}'\nprivate = \"{PEM}\"\n"
            (path.parent / f"wrk-{n}.txt.run.toml").write_text(argv, encoding="utf-8")
    assert run(["ingest", "results"]) == 0
    secret = f"--title=token={SECRET}"
    monkeypatch.setattr(
        "sys.argv", ["benchkit", "report", f"http://a:{SECRET}@h/?sig={SECRET}", secret]
    )
    for words in (
        ["runs", "--format", "json"],
        ["export", "--format", "csv"],
        ["compare", "--format", "json"],
        ["check", "--format", "json"],
        ["gate", "--junit", "junit.xml", "--github"],
        *(["report", "-o", f"report.{kind}"] for kind in ("html", "md", "json")),
    ):
        code = run(words)
        streams = capsys.readouterr()
        assert code in {0, 1, 4}, streams.err
        assert not [secret for secret in secrets if secret in streams.out + streams.err]
    for path in tmp_path.rglob("*"):
        if path.is_file() and "results" not in path.parts and path.name != "benchkit.toml":
            text = path.read_bytes()
            assert not [secret for secret in secrets if secret.encode() in text], path
    assert "REDACTED" in (tmp_path / "report.html").read_text(encoding="utf-8")
