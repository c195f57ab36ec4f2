"""An S3 server on loopback that keeps objects in memory, as far as stores need one.

Conditional writes are decided under one lock, as in S3. Objects have the time of their writing: the
cleanup of old log entries depends on it. An object whose name ends in ``.drip`` arrives at ten
bytes per second. Requests and bytes are counted per client, by the name of its access key.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import urlopen
from xml.sax.saxutils import escape

#: The server distinguishes clients by the value of this variable.
CLIENT = "AWS_ACCESS_KEY_ID"
_COUNTS = "/.counts/"
_XML = '<?xml version="1.0" encoding="UTF-8"?>'


@contextmanager
def serve() -> Iterator[dict[str, str]]:
    """Run a server; yield the environment by which clients find it.

    It is a separate process: a client that holds the interpreter lock while it waits would deadlock
    with a server in its threads.
    """
    command = [sys.executable, str(Path(__file__))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{process.stdout.readline().strip()}",
                "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test",
                "AWS_REGION": "us-east-1",
                "AWS_ALLOW_HTTP": "true",
                "AWS_EC2_METADATA_DISABLED": "true",
            }
        finally:
            process.kill()


def count_requests(env: Mapping[str, str], client: str) -> tuple[int, int, int]:
    """Return a client's requests so far, and the bytes of objects that it wrote and read."""
    with urlopen(f"{env['AWS_ENDPOINT_URL']}{_COUNTS}{client}") as answer:  # noqa: S310
        requests, written, read = json.load(answer)
    return requests, written, read


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.lock, self.counting = Lock(), Lock()
        self.objects: dict[str, bytes] = {}
        self.times: dict[str, datetime] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.uploads = count(1)
        self.counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])

    def handle_error(self, *_: object) -> None:
        """Ignore clients that hang up before they have read the answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a body after its head would wait 40 ms for a client's answer
    server: _Server

    def _parse(self) -> tuple[str, dict[str, str], bytes]:
        address = urlsplit(self.path)
        query = {k: v[0] for k, v in parse_qs(address.query, keep_blank_values=True).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._count(1, len(body) if self.command == "PUT" else 0, 0)
        return unquote(address.path).lstrip("/"), query, body

    def do_PUT(self) -> None:
        """Keep an object, or a part of one."""
        key, query, body = self._parse()
        if "uploadId" in query:
            self.server.parts[query["uploadId"]][int(query["partNumber"])] = body
            self._answer(200, headers={"ETag": _tag(body)})
        else:
            self._keep(key, body)

    def do_POST(self) -> None:
        """Begin or complete a multipart object, or delete several objects."""
        key, query, body = self._parse()
        if "uploads" in query:
            upload = f"{next(self.server.uploads)}"
            self.server.parts[upload] = {}
            inside = f"<Bucket>b</Bucket><Key>{escape(key)}</Key><UploadId>{upload}</UploadId>"
            self._answer_xml("InitiateMultipartUploadResult", inside)
        elif "uploadId" in query:
            parts = self.server.parts.pop(query["uploadId"])
            self._keep(key, b"".join(parts[number] for number in sorted(parts)), is_xml=True)
        else:
            bucket = key.partition("/")[0]
            names = re.findall(r"<Key>(.*?)</Key>", body.decode())
            for name in names:
                self.server.objects.pop(f"{bucket}/{name}", None)
            deleted = "".join(f"<Deleted><Key>{name}</Key></Deleted>" for name in names)
            self._answer_xml("DeleteResult", deleted)

    def do_DELETE(self) -> None:
        """Delete an object, or abort a multipart upload."""
        key, query, _ = self._parse()
        self.server.parts.pop(query.get("uploadId", ""), None)
        if "uploadId" not in query:
            self.server.objects.pop(key, None)
        self._answer(204)

    def do_HEAD(self) -> None:
        """Describe an object."""
        self._get()

    def do_GET(self) -> None:
        """Send an object, or a list of them."""
        self._get()

    def _get(self) -> None:
        if self.path.startswith(_COUNTS):
            counts = self.server.counts[self.path.removeprefix(_COUNTS)]
            self._answer(200, json.dumps(counts).encode())
            return
        key, query, _ = self._parse()
        if "list-type" in query:
            self._list(key.partition("/")[0], query)
            return
        body = self.server.objects.get(key)
        if body is None:
            self._answer(404, f"{_XML}<Error><Code>NoSuchKey</Code></Error>".encode())
            return
        modified = format_datetime(self.server.times[key], usegmt=True)
        headers = {"ETag": _tag(body), "Last-Modified": modified}
        byte_range = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if byte_range is None:
            self._answer(200, body, headers)
            return
        size = len(body)
        start = int(byte_range[1]) if byte_range[1] else max(0, size - int(byte_range[2]))
        end = min(size, int(byte_range[2]) + 1) if byte_range[1] and byte_range[2] else size
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self._answer(206, body[start:end], headers)

    def _list(self, bucket: str, query: dict[str, str]) -> None:
        """List objects, all in one answer."""
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("start-after", "")
        entries: list[str] = []
        folders: dict[str, None] = {}
        with self.server.lock:
            known = sorted(self.server.objects.items())
        for path, body in known:
            name = path.partition("/")[2]
            if not path.startswith(f"{bucket}/") or not name.startswith(prefix) or name <= after:
                continue
            head, separator, _ = (
                name[len(prefix) :].partition(delimiter) if delimiter else ("", "", "")
            )
            if separator:
                folders[f"{prefix}{head}{delimiter}"] = None
                continue
            modified = self.server.times[path].isoformat(timespec="milliseconds")
            entries.append(
                f"<Contents><Key>{escape(name)}</Key><Size>{len(body)}</Size><ETag>{_tag(body)}"
                f"</ETag><LastModified>{modified.replace('+00:00', 'Z')}</LastModified></Contents>"
            )
        inside = f"<Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><IsTruncated>false"
        inside += f"</IsTruncated><KeyCount>{len(entries)}</KeyCount>{''.join(entries)}"
        for folder in folders:
            inside += f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
        self._answer_xml("ListBucketResult", inside)

    def _keep(self, key: str, body: bytes, *, is_xml: bool = False) -> None:
        with self.server.lock:
            present = self.server.objects.get(key)
            expected = self.headers.get("If-Match")
            is_refused = self.headers.get("If-None-Match") == "*" and present is not None
            if is_refused or (expected and (present is None or _tag(present) != expected)):
                self._answer(412, f"{_XML}<Error><Code>PreconditionFailed</Code></Error>".encode())
                return
            self.server.times[key] = datetime.now(UTC)
            self.server.objects[key] = body
        if is_xml:
            inside = f"<Key>{escape(key)}</Key><ETag>{escape(_tag(body))}</ETag>"
            self._answer_xml("CompleteMultipartUploadResult", inside)
        else:
            self._answer(200, headers={"ETag": _tag(body)})

    def _count(self, *amounts: int) -> None:
        key = re.search(r"Credential=([^/]+)/", self.headers.get("Authorization", ""))
        if key:
            with self.server.counting:
                counts = self.server.counts[key[1]]
                counts[:] = [old + new for old, new in zip(counts, amounts, strict=True)]

    def _answer_xml(self, name: str, inside: str) -> None:
        self._answer(200, f"{_XML}<{name}>{inside}</{name}>".encode())

    def _answer(self, code: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", f"{len(body)}")
        self.end_headers()
        if self.command != "HEAD":
            self._count(0, 0, len(body))
            drips = body if self.path.partition("?")[0].endswith(".drip") else b""
            for byte in drips:
                self.wfile.write(bytes([byte]))
                time.sleep(0.1)
            self.wfile.write(body[len(drips) :])

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _tag(body: bytes) -> str:
    return f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'


if __name__ == "__main__":
    SERVER = _Server(("127.0.0.1", 0), _Handler)
    print(SERVER.server_address[1], flush=True)  # noqa: T201
    SERVER.serve_forever()
