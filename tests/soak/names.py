"""Hostile names in every place that names come from, in every sink.

No name may execute, restyle, hide or add a row, a cell, a tag or a message; every output can be
parsed by its reader.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

from prometheus_client.openmetrics.parser import text_string_to_metric_families
from roads import FIXTURES

from benchkit.config.files import write_string
from soak.campaign import Budget, Outcome
from soak.commands import call

TITLE = "hostile names, every sink"
SECONDS = 120.0
_AT_ONCE = 12

NAMES = (
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'><svg onload=alert(1)>"),
    *("a|b\n# c", "\x1b[31mred\x00", "\x1b]0;title\x07", "\x9b31m", "x\r\ny", "\u2028x", "\x85"),
    *("=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "=HYPERLINK(0)", "%0a::error::x", "::error::x"),
    *("](javascript:x)", "[x](http://h)", "![i](http://h/i.png)", "@someone #1", "`code`", "~~x~~"),
    *("\u202eevil", "\u2066evil", "\u200ehidden", "\u0645\u0631\u062d", "\u0000", "\ufeffbom"),
    *("{{ 7*7 }}", "{% raw %}", "${HOME}", "$(id)", "%s%n", "\\", "\\u0041", '"', "'", ",", ";"),
    *("a,b=c", 'x{le="1"} 1', "# EOF", "# TYPE x y", "]]>", "<!--", "&amp;", "&#60;b&#62;"),
    *("\udc80", "\ud83d", "a" * 300, "\u0301" * 40, "../../etc", "C:\\x", "CON", "none", " ", "."),
)


def _fill(folder: Path, place: str, names: Sequence[str], random: Random) -> None:
    """Write runs of two variants for each name, with the name in one place."""
    for index, name in enumerate(names):
        for variant in ("none", "otlp"):
            for number in (1, 2):
                text = (FIXTURES / f"tracing-wrk/{variant}/wrk-{number}.txt").read_text()
                facts: dict[str, object] = {"variant": variant, "run": number}
                facts["benchmark"] = f"b{index}"
                stem = f"wrk-x{index}-{number}"
                if place == "file":
                    stem = f"wrk-{_file_name(name)}-{number}"
                elif (place == "variant" and variant == "otlp") or place == "benchmark":
                    facts[place] = name
                elif place in {"params", "env"}:
                    facts[place] = {name: "1", "level": name}
                elif place == "heading":
                    text = f"# {name}\n\n{text}\n## {name} b\n\n{text}"
                elif place == "command":
                    text = f"$ wrk -c8 {name} http://h/\n{text}".replace("127.0.0.1", name[:20])
                elif place == "metric":
                    stem, text = f"gobench-x{index}-{number}", _write_metrics(name, random)
                path = folder / variant / f"{stem}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("utf-8", "surrogatepass"))
                _write_sidecar(path, facts)


def _write_sidecar(path: Path, facts: dict[str, object]) -> None:
    lines = []
    for key, value in facts.items():
        if isinstance(value, dict):
            lines += [
                f"[{key}]",
                *(f"{write_string(k)} = {write_string(v)}" for k, v in value.items()),
            ]
        else:
            lines.append(f"{key} = {write_string(value) if isinstance(value, str) else value}")
    sidecar = path.with_name(f"{path.name}.run.toml")
    sidecar.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")


def _write_metrics(name: str, random: Random) -> str:
    """Write a line of go test whose benchmark, package and unit have a hostile name."""
    unit = "".join(c for c in name if not c.isspace())[:50] or "x"
    line = f"BenchmarkX/{unit}-8 \t100\t{random.uniform(1, 2)} ns/op\t{random.random()} {unit}\n"
    return f"goos: linux\npkg: {unit}\n{line * 3}"


def _file_name(name: str) -> str:
    safe = name.replace("/", "_").replace("\0", "_")[:60]
    return os.fsdecode(safe.encode("utf-8", "surrogateescape" if _is_escape(safe) else "replace"))


def _is_escape(text: str) -> bool:
    return all(unicodedata.category(c) != "Cs" or "\udc80" <= c <= "\udcff" for c in text)


PLACES = ("file", "variant", "benchmark", "params", "env", "heading", "command", "metric")


def run(budget: Budget) -> Outcome:
    """Try all names in all places, a few of them at once."""
    random = budget.random("names")
    names = random.sample(NAMES, len(NAMES))
    groups = [
        (place, names[n : n + _AT_ONCE]) for place in PLACES for n in range(0, len(names), _AT_ONCE)
    ]
    random.shuffle(groups)
    losses: list[str] = []
    trials = outputs = 0
    groups = groups[: budget.trials(len(groups))]
    for number, (place, some) in enumerate(groups):
        if budget.is_over:
            break
        problems, count = attempt(budget.folder / f"{number}", place, some, random)
        losses += [f"{place} {some}: {problem}" for problem in problems]
        trials += len(some)
        outputs += count
    target = sum(len(some) for _, some in groups)
    return Outcome(trials, losses, {"outputs": outputs}, target)


def attempt(
    folder: Path, place: str, names: Sequence[str], random: Random
) -> tuple[list[str], int]:
    """Return problems of the outputs for some names, and the number of outputs."""
    _fill(folder / "results", place, names, random)
    problems = []
    for words in _COMMANDS:
        answer = call(folder, *words, env={name: str(folder / name) for name in _GITHUB})
        kind = words[-1] if "--format" in words and not answer.code else ""
        shown = answer.err if kind else answer.out + answer.err
        unsafe = [bad for line in shown.splitlines() for bad in _check_terminal(line)]
        if answer.is_crash or answer.code not in {0, 1, 2, 3, 4}:
            unsafe.append(answer.describe())
        unsafe += _read_back(kind, answer.out) if kind else []
        problems += [f"{' '.join(words[:2])} {kind}: {each}" for each in unsafe]
    files = {name: kind for name, kind in _FILES.items() if (folder / name).is_file()}
    for name, kind in files.items():
        text = (folder / name).read_bytes().decode()
        problems += [f"{name}: {each}" for each in _read_back(kind, text)]
    return problems, len(_COMMANDS) + len(files)


_BASE = ("--baseline", "none")
_COMMANDS = (
    ("ingest", "results", "-q"),
    *(("compare", "results", *_BASE, "--format", kind) for kind in ("json", "csv", "md")),
    *(("report", "results", *_BASE, "-q", "-o", f"report.{kind}") for kind in ("html", "md")),
    ("compare", *_BASE),
    ("runs",),
    ("runs", "--format", "json"),
    ("export", "--format", "csv"),
    ("export", "results", "--format", "json"),
    ("check", "results"),
    (
        *("gate", "results", "--max-overhead", "request_rate=1%", *_BASE, "-o", "gate.md"),
        *("--junit", "junit.xml", "--gitlab", "gitlab.txt", "--openmetrics", "metrics.txt"),
        *("--comment", "comment.md", "--github"),
    ),
)
_GITHUB = ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")
#: Outputs of the commands, and their readers.
_FILES = {
    "report.html": "html",
    "report.md": "md",
    "gate.md": "md",
    "comment.md": "md",
    "junit.xml": "junit",
    "gitlab.txt": "openmetrics",
    "metrics.txt": "openmetrics",
    "GITHUB_STEP_SUMMARY": "md",
}


def _read_back(kind: str, text: str) -> list[str]:
    try:
        return list(_CHECKS[kind](text))
    except Exception as error:  # noqa: BLE001 - its reader refuses it
        return [f"cannot be read: {type(error).__name__} {str(error)[:200]}"]


#: Beginnings of lines that GitHub takes for a command: our own annotations.
_ANNOTATION = re.compile(r"::(?:error|warning|notice) title=[^:]*::")
#: Other commands it obeys, and a zero-width character that disables them.
_OBEYED = re.compile(r"^\s*::(?=\w)|##(?=\[)")
_BROKEN = re.compile("(?<=:)\u200b(?=:)|(?<=#)\u200b(?=#)")


def _check_terminal(line: str) -> Iterator[str]:
    shown = _BROKEN.sub("", line)
    bad = [c for c in shown if c != "\t" and not (c.isprintable() or c in "\u202f\u00a0")]
    if bad:
        yield f"acts on a terminal: {ascii(line)[:200]}"
    if _OBEYED.search(line) and not _ANNOTATION.match(line):
        yield f"a command for GitHub: {line[:100]!r}"


def _check_csv(text: str) -> Iterator[str]:
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len({len(row) for row in rows}) > 1:
        yield "rows of different lengths"
    for row in rows[1:]:
        for cell in row:
            if cell.startswith(("=", "@", "+", "-", "\t", "\r")) and not _is_number(cell):
                yield f"a formula: {cell[:60]!r}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _check_json(text: str) -> Iterator[str]:
    json.loads(text, parse_constant=_refuse_constant)
    return iter(())


_TAG = re.compile(r"<(?!/?(?:sup|br|details|summary|sub|b|strong|code|!-- benchkit)\b)[a-zA-Z!/]")


def _check_markdown(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from _check_terminal(line)
        if tag := _TAG.search(line):
            yield f"a tag: {line[tag.start() :][:80]!r}"
        if re.search(r"(?<!\\)\]\((?!https?://|#)", line):
            yield f"a link: {line[:80]!r}"
        if re.search(r"(?:^|\s)@(?:someone|SUM)", line):
            yield f"a mention: {line[:80]!r}"
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}
        if len(widths) > 1:
            yield f"a table of rows of different lengths: {block[:200]!r}"


class _Page(HTMLParser):
    """Collects the active parts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record event handlers, and elements and addresses that fetch or run something."""
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.bad.append(f"{tag} {name}={value!r}")
            if name == "src" and not (value or "").startswith("data:"):
                self.bad.append(f"{tag} {name}={value!r}")
        if tag in {"iframe", "object", "embed", "base"}:
            self.bad.append(tag)

    def handle_data(self, data: str) -> None:
        """Record characters that change how the rest is read."""
        if bad := [c for c in data if unicodedata.category(c) in {"Cc", "Cf", "Cs"} - {""}]:
            shown = [ascii(c) for c in bad if c not in "\n\t\u00ad\u200b\u2060"]
            self.bad += [f"text with {shown[0]}"] if shown else []


def _check_html(text: str) -> Iterator[str]:
    page = _Page()
    page.feed(text)
    yield from page.bad
    if "alert(1)</script>" in text:
        yield "a script"


def _check_junit(text: str) -> Iterator[str]:
    ET.fromstring(text)  # noqa: S314 - our own text
    return iter(())


def _check_openmetrics(text: str) -> Iterator[str]:
    ended = text if text.endswith("# EOF\n") else f"{text}# EOF\n"  # GitLab's goes without
    families = list(text_string_to_metric_families(ended))  # type: ignore[no-untyped-call]
    if not families:
        yield "no metric"


_CHECKS: dict[str, Callable[[str], Iterator[str]]] = {
    "csv": _check_csv,
    "json": _check_json,
    "md": _check_markdown,
    "html": _check_html,
    "junit": _check_junit,
    "openmetrics": _check_openmetrics,
}
