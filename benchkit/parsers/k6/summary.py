"""k6's summaries in JSON: ``--summary-export``, handleSummary's data, the machine-readable one.

These hold every digit, the text only some.

``export`` (0.x on)                           ``handlesummary`` (0.30 on)

    {"metrics": {                                 {"state": {"testRunDurationMs": 10002.726},
      "http_req_duration": {                       "metrics": {"http_req_duration": {
        "avg": 0.4433, "p(95)": 1.2420,              "type": "trend", "contains": "time",
        "thresholds": {"p(95)<50": false}},          "values": {"avg": 0.4822, "p(95)": 0.9548},
      "http_req_failed": {                           "thresholds": {"p(95)<50": {"ok": true}}},
        "passes": 0, "fails": 5001, "value": 0}       …}, "root_group": {…}, "options": {…}}
      …}, "root_group": {…}}

``machine`` (1.5 on, ``--new-machine-readable-summary``)

    {"config": {"duration": 3.0, "execution": "local", "script": "…"},
     "metadata": {"k6_version": "1.8.1", …}, "version": "1.0.0",
     "results": {"checks": {…}, "metrics": [{"name": "http_req_duration", "type": "trend",
       "contains": "time", "values": {"avg": 0.48, "p95": 0.95}}, …]}}

Times are always in ms, whatever ``--summary-time-unit`` says. In an export a threshold's ``false``
means *passed* (the value is "crossed"); handleSummary's ``ok`` means what it says. Of
http_req_failed, ``passes`` are the failed requests. The script that the machine-readable form
embeds is not read.

Not recorded by the tool: the URL, the start, raw samples; in an export also the run's length and
whether a custom trend is a time (its metric then ends in ``_as_exported``); in the
machine-readable form every percentile but p90 and p95, and all rates per second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.k6.json_leaves import DamageError, Leaf, Path, walk
from benchkit.parsers.k6.words import (
    CONTENTS,
    Crossing,
    Kind,
    Measure,
    Number,
    builtin_kind,
    complete,
    describe_crossed,
    record,
    split_name,
)
from benchkit.reading.source import UntilDamage
from benchkit.units import parse_duration, scale

#: A summary is small; anything larger is not one.
LARGEST = 64 << 20

_BUILTIN = r"http_req\w*+|iterations|iteration_duration|vus(?:_max)?|data_(?:sent|received)|checks"
_KNOWN = re.compile(
    rf'"(?:{_BUILTIN})(?:\{{[^"]*+(?<=\}}))?"\s*:\s*\{{\s*"(?:type|contains|values|thresholds|avg|min|med'
    r'|max|p\([\d.]+\)|count|rate|value|passes|fails)"'
    r'|"testRunDurationMs"\s*:|"k6_?[vV]ersion"\s*:'
    rf'|"name"\s*:\s*"(?:{_BUILTIN})[^"]*+"\s*,\s*"type"\s*:|"name"\s*:\s*"checks_total"'
    r'|"root_group"\s*:\s*\{'
)
#: Files made from a k6 run that benchkit does not read: what they hold, what to give instead.
_REFUSED = (
    (re.compile(r"<title>k6 report</title>"), "an HTML report of k6's web dashboard"),
    (
        re.compile(r"<title>(?=[^<]*(?i:k6))[^<]*+</title>|k6-reporter"),
        "an HTML report made from k6's",
    ),
    (re.compile(r'<testsuite name="k6 thresholds"'), "a JUnit file made from k6's thresholds"),
)
_KINDS: dict[str, Kind] = {"trend": "trend", "counter": "counter", "rate": "rate", "gauge": "gauge"}
_OPEN = {"constant-arrival-rate", "ramping-arrival-rate"}
_CLOSED = {
    "constant-vus", "ramping-vus", "shared-iterations", "per-vu-iterations", "externally-controlled"
}  # fmt: skip


@dataclass(slots=True)
class _Entry:
    """One metric while its leaves come in."""

    name: str = ""
    type: str = ""
    contains: str = ""
    leaves: dict[str, Leaf] = field(default_factory=dict)


@dataclass(slots=True)
class _Document:
    """What a summary holds, whichever of the three forms it has."""

    form: str = ""
    entries: dict[Path, _Entry] = field(default_factory=dict)
    thresholds: int = 0
    threshold_line: int = 0
    crossed: list[Crossing] = field(default_factory=list)
    duration: tuple[float, int] | None = None
    version: str | None = None
    scenarios: dict[str, dict[str, str]] = field(default_factory=dict)
    last_line: int = 1
    last_entry: Path = ()


def recognises(head: Head) -> bool:
    """Whether this is a JSON document with k6's metrics, or a report made from one."""
    if not head.is_start or not head.text:
        return False
    text = head.text.lstrip()
    if text.startswith("<"):
        return any(pattern.search(text) for pattern, _ in _REFUSED)
    return text.startswith("{") and bool(_KNOWN.search(text)) and not _is_points(text)


def _is_points(text: str) -> bool:
    return re.match(r'\{[^\n]*"type"\s*:\s*"(?:Metric|Point)"', text) is not None


def parse(source: Source) -> Iterator[Record]:
    """Yield the run that a summary holds.

    Raises
    ------
    UnreadableError
        At damaged gzip; what stood before it has been yielded, as partial.
    """
    blocks = UntilDamage(source.blocks())
    text = _join(blocks, source.label)
    refusal = _refuse(text, source.label)
    if refusal is not None:
        yield refusal
        return
    document, problems = _Document(), list[Diagnostic]()
    try:
        for leaf in walk(text):
            _take(document, leaf)
    except DamageError as error:
        document.entries.pop(document.last_entry, None)
        what = f"{error}; what stands before is kept"
        problems.append(Diagnostic(source.label, error.line, what, "write it again", "warning"))
    yield from _tell(source, document, problems)
    blocks.raise_damage()


def _join(blocks: Iterable[bytes], label: str) -> str:
    """Return the text, as far as it may be long."""
    data = bytearray()
    for block in blocks:
        data += block
        if len(data) > LARGEST:
            break
    return Source(None, label, bytes(data)).text()


def _refuse(text: str, label: str) -> Diagnostic | None:
    """Say why a document is not read at all, if it is not."""
    hint = "give the raw output instead: --summary-export, --out json or --out csv"
    if len(text) > LARGEST:
        return Diagnostic(label, 0, "longer than 64 MiB, which no k6 summary is", hint)
    begin = text.lstrip()[: 1 << 16]
    if begin.startswith("<"):
        for pattern, what in _REFUSED:
            if pattern.search(begin):
                return Diagnostic(label, 0, f"{what}, which benchkit does not read", hint)
    return None


def _take(document: _Document, leaf: Leaf) -> None:
    """Put a leaf where it belongs."""
    document.last_line = leaf.line
    match leaf.path:
        case ("metrics", str(name), str(key)):
            _take_metric(document, leaf, leaf.path[:2], name, key)
        case ("metrics", str(name), "values", str(key)):
            _take_metric(document, leaf, leaf.path[:2], name, key, form="handlesummary")
        case ("metrics", str(name), "thresholds", str(rule)):
            _take_threshold(document, leaf, f"{name} {rule}", crossed=leaf.text == "true")
        case ("metrics", str(name), "thresholds", str(rule), "ok"):
            _take_threshold(document, leaf, f"{name} {rule}", crossed=leaf.text == "false")
        case ("results", "metrics", int(), *_, key) | (
            "results",
            "checks",
            "metrics",
            int(),
            *_,
            key,
        ):
            path = leaf.path[: leaf.path.index("metrics") + 2]
            _take_metric(document, leaf, path, "", str(key), form="machine")
        case ("state", "testRunDurationMs") if leaf.is_number:
            document.duration = (scale(leaf.text, -3), leaf.line)
        case ("config", "duration") if leaf.is_number:
            document.duration = (float(leaf.text), leaf.line)
        case ("metadata", "k6_version" | "k6Version"):
            document.version = leaf.string or None
        case ("options", "scenarios", str(name), str(key)):
            value = leaf.string or leaf.text
            document.scenarios.setdefault(name, {})[key] = value


def _take_metric(
    document: _Document, leaf: Leaf, path: Path, name: str, key: str, form: str = ""
) -> None:
    entry = document.entries.setdefault(path, _Entry(name))
    document.last_entry = path
    if key in {"name", "type", "contains"} and not leaf.is_number:
        setattr(entry, key, leaf.string)
    elif leaf.is_number:
        entry.leaves[key] = leaf
        document.form = form or document.form or "export"


def _take_threshold(document: _Document, leaf: Leaf, name: str, *, crossed: bool) -> None:
    document.thresholds += 1
    document.threshold_line = leaf.line
    if crossed:
        document.crossed.append(Crossing(leaf.line, name))


def _tell(source: Source, document: _Document, problems: list[Diagnostic]) -> Iterator[Record]:
    """Yield the reading, then its problems."""
    reading = Reading(tool="k6", form=document.form or "export", line=1)
    reading.last_line = document.last_line
    reading.tool_version = document.version
    if problems:
        reading.status, reading.env["report"] = "partial", "cut"
    unclear = _record_all(reading, document)
    if document.duration is not None:
        reading.duration, line = document.duration
        reading.add("duration", "total", reading.duration, "s", line)
    if not reading.rows:
        what = "JSON with none of k6's metrics (handleSummary may have been customised)"
        hint = "give --summary-export, handleSummary's whole data, or --out json"
        yield from problems or [Diagnostic(source.label, 0, what, hint)]
        return
    if not problems:
        _record_thresholds(reading, document)
    _describe_load(reading, document.scenarios)
    problems += complete(reading, source.label)
    if reading.status != "failed":
        reading.remark = describe_crossed(document.crossed)
    if unclear:
        what = f"an export does not tell whether {', '.join(unclear)} are times in ms"
        what = f"{what}; the numbers are kept as they stand, under names with {_AS_EXPORTED}"
        hint = "give the text summary, handleSummary's data or --out json for values with units"
        problems.append(Diagnostic(source.label, 1, what, hint, "note", is_remark=True))
    yield reading
    yield from problems


def _record_all(reading: Reading, document: _Document) -> list[str]:
    """Add the rows of every metric; return the names of trends without a known unit.

    Their numbers keep a name of their own, so that they never meet those of a form that tells it.
    """
    unclear = []
    for entry in sorted(document.entries.values(), key=lambda entry: entry.name.count("{")):
        measure = _measure(entry)
        if measure is not None:
            record(reading, measure)
        elif entry.leaves and not entry.contains and entry.name:
            name, tags = split_name(entry.name)
            record(reading, _read_numbers(entry, f"{name}{_AS_EXPORTED}", tags, "trend", "1"))
            unclear.append(entry.name)
    return unclear


def _measure(entry: _Entry) -> Measure | None:
    """Read a metric's numbers in base units; None if nothing tells its unit."""
    name, tags = split_name(entry.name)
    kind, unit = _kind(name, entry)
    if kind is None or unit is None or not name:
        return None
    return _read_numbers(entry, name, tags, kind, unit)


def _read_numbers(entry: _Entry, name: str, tags: str, kind: Kind, unit: str) -> Measure:
    measure = Measure(name, tags, kind, unit)
    for key, leaf in entry.leaves.items():
        counted = key == "count" and kind == "trend"
        value = scale(leaf.text, -3 if unit == "s" and not counted else 0)
        measure.numbers[_WORDS.get((kind, key), key)] = Number(value, leaf.line)
    return measure


#: Ends the names of trends of which an export does not tell the unit.
_AS_EXPORTED = "_as_exported"
#: Where the forms use another word than the text: an export's share, the machine-readable counts.
_WORDS = {("rate", "value"): "rate", ("rate", "matches"): "passes"}


def _kind(name: str, entry: _Entry) -> tuple[Kind | None, str | None]:
    """Tell kind and unit: as declared, as k6 defines the metric, or from its words."""
    declared = _KINDS.get(entry.type)
    if declared is not None:
        return declared, CONTENTS.get(entry.contains)
    known = builtin_kind(name)
    if known is not None:
        return known
    words = entry.leaves.keys()
    if {"count", "rate"} <= words:
        return "counter", "1"
    if {"passes", "fails"} <= words:
        return "rate", "1"
    return ("gauge", "1") if "value" in words else (None, None)


def _record_thresholds(reading: Reading, document: _Document) -> None:
    if document.thresholds:
        reading.add(
            "thresholds_crossed", "count", float(len(document.crossed)), "1",
            document.threshold_line, n=document.thresholds, origin="computed",
        )  # fmt: skip


def _describe_load(reading: Reading, scenarios: dict[str, dict[str, str]]) -> None:
    """Tell the load model from the executors, where the options hold the scenarios."""
    executors = {scenario.get("executor", "") for scenario in scenarios.values()}
    if not executors:
        return
    if executors <= _OPEN:
        reading.load_model = "open"
    elif executors <= _CLOSED:
        reading.load_model = "closed"
    if executors == {"constant-arrival-rate"} and len(scenarios) == 1:
        (scenario,) = scenarios.values()
        try:
            period = parse_duration(scenario.get("timeUnit", "1s")).value
            reading.target_rate = float(scenario["rate"]) / period
        except (KeyError, ValueError, ZeroDivisionError):
            reading.target_rate = None
