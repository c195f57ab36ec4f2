"""The documents: the README and the pages of the manual, whose blocks are run.

A `console` block holds a command and its output, which is compared. An `sh` block holds commands
that have to succeed, and a `python` block lines that have to run. The blocks of a document run in
its order and in one folder, where `results` holds two variants in a git repository, `wrk` and `go`
print real reports, and a Prometheus server answers.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

from benchkit.cli import run

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
MANUAL = ROOT / "benchkit" / "manual"
DOCUMENTS = (README, *sorted(MANUAL.rglob("*.md")))
#: Commands that set up or check the project; `.ci/run` and nox run them.
SETUP = re.compile(r"(?:\$ )?(?:python3 -m venv|nox) ")
#: Blocks that start a Java VM; `tests/test_store_readers.py` runs them.
SPARK = re.compile(r"^from pyspark", re.MULTILINE)
#: Characters outside of quotes that need a shell, and quoted texts.
_SHELL, _QUOTED = re.compile(r"[|&;<>$`*\n]"), re.compile(r"'[^']*'|\"[^\"$`]*\"")
_BLOCK = re.compile(r"^```(console|sh|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PROGRAMS = {
    "benchkit": '#!/bin/sh\nexec "{python}" -m benchkit "$@"\n',
    "wrk": "#!/bin/sh\nexec cat {fixtures}/tracing-wrk/none/wrk-1.txt\n",
    "go": """#!/bin/sh
test -f level || exec cat {fixtures}/redis-gobench/pinned/Baseline.txt
echo "BenchmarkGet 1000 $(cat level)$(date +%N) ns/op"
""",
}
#: Address of the documents' Prometheus server, and its answers.
PROMETHEUS = "127.0.0.1:9090"
_ANSWER = ROOT / "fixtures/tracing-resources/prometheus/query_range-cpu_seconds_total.json"
_REPOSITORY = """
git init -q -b main . && git add results
git -c user.name=a -c user.email=a@example.com commit -q -m results
git clone -q --bare . origin.git && git remote add origin ./origin.git
git checkout -q --orphan benchkit-data && git mv results/none main
printf '[env]\\ncpu = "AMD EPYC 7763"\\n' > main/run.toml && git add main
git -c user.name=a -c user.email=a@example.com commit -q -m baseline main
git push -q origin benchkit-data && git checkout -q -f main
git tag v1.2.0
for level in 10 10 13 13; do
    echo "$level." > level && git add level
    git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m "level $level"
    git tag -f v1.2.0 "$(git rev-list --reverse HEAD -- level | head -n 1)" > /dev/null
done
"""


def read_documents() -> str:
    """Return all documents, one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)


def list_blocks(language: str) -> list[str]:
    """Return the contents of all blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", read_documents(), re.DOTALL | re.MULTILINE)


def prepare(folder: Path) -> str:
    """Create the folder in which a document's blocks run; return the PATH of its programs."""
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    for variant in ("none", "otlp"):
        shutil.copytree(ROOT / "fixtures/tracing-wrk" / variant, folder / "results" / variant)
    chart = ROOT / "fixtures/github-action-benchmark-forms/synthetic-data.js"
    shutil.copy(chart, folder / "data.js")
    (folder / "bin").mkdir()
    for name, text in _PROGRAMS.items():
        script = text.format(python=sys.executable, fixtures=ROOT / "fixtures")
        (folder / "bin" / name).write_text(script, encoding="utf-8")
        (folder / "bin" / name).chmod(0o755)
    return f"{folder / 'bin'}:{os.environ['PATH']}"


@contextmanager
def serve_prometheus() -> Iterator[str]:
    """Answer every range query with a recorded range; yield the server's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            self.do_GET()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(_ANSWER.read_bytes())

        def log_message(self, *_args: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def run_command(command: str) -> str:
    """Run a command, which must succeed, and return its output.

    A benchkit command runs in this process, to save its start-up, unless it needs a shell.
    """
    if command.startswith("benchkit ") and not _SHELL.search(_QUOTED.sub("", command)):
        with redirect_stdout(StringIO()) as output, redirect_stderr(output):
            code = run(shlex.split(command)[1:])
        printed = output.getvalue()
    else:
        pipe, error = subprocess.PIPE, subprocess.STDOUT
        done = subprocess.run(
            ["sh", "-ec", command], stdout=pipe, stderr=error, text=True, check=False
        )
        code, printed = done.returncode, done.stdout
    assert code == 0, f"{command}\n{printed}"
    return printed


def run_blocks(text: str, prometheus: str) -> str:
    """Run a document's blocks and return the document with their current outputs."""
    names: dict[str, Any] = {"__file__": "block.py"}
    if "git " in text:
        run_command(_REPOSITORY)

    def run_block(block: re.Match[str]) -> str:
        language, body = block.groups()
        if SETUP.match(body) or SPARK.search(body):
            return block[0]
        if language == "python":
            exec(body, names)  # noqa: S102 - our own documents
            return block[0]
        if language == "console":
            command = body.partition("\n")[0]
            return f"```console\n{command}\n{run_command(command.removeprefix('$ '))}```"
        for line in body.replace("\\\n", "").splitlines():
            run_command(line.replace(PROMETHEUS, prometheus))
        return block[0]

    return _BLOCK.sub(run_block, text)
