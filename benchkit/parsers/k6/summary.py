"""k6's JSON summaries: ``--summary-export``, handleSummary's data, the machine-readable form.

These hold every digit, the text only some of them.

``export`` (from 0.x on)                      ``handlesummary`` (from 0.30 on)

    {"metrics": {                                 {"state": {"testRunDurationMs": 10002.726},
      "http_req_duration": {                       "metrics": {"http_req_duration": {
        "avg": 0.4433, "p(95)": 1.2420,              "type": "trend", "contains": "time",
        "thresholds": {"p(95)<50": false}},          "values": {"avg": 0.4822, "p(95)": 0.9548},
      "http_req_failed": {                           "thresholds": {"p(95)<50": {"ok": true}}},
        "passes": 0, "fails": 5001, "value": 0}       …}, "root_group": {…}, "options": {…}}
      …}, "root_group": {…}}

``machine`` (from 1.5 on, ``--new-machine-readable-summary``)

    {"config": {"duration": 3.0, "execution": "local", "script": "…"},
     "metadata": {"k6_version": "1.8.1", …}, "version": "1.0.0",
     "results": {"checks": {…}, "metrics": [{"name": "http_req_duration", "type": "trend",
       "contains": "time", "values": {"avg": 0.48, "p95": 0.95}}, …]}}

Times are always in ms, even with ``--summary-time-unit``. In an export, ``false`` for a threshold
means *passed* (the value is "crossed"); in handleSummary's data, ``ok`` means passed. In
http_req_failed, ``passes`` are the failed requests. The script embedded in the machine-readable
form is not read.

Not recorded by the tool: the URL, the start and raw samples; in an export also the run's length and
whether a custom trend is a time (the name of its metric then ends in ``_as_exported``); in the
machine-readable form every percentile but p90 and p95, and all rates per second.

A user-defined handleSummary may nest this data, also for several runs: ``{"none": {"metrics": …},
"otlp": {"metrics": …}}``, or a list of summaries. The keys above a summary are its headings. If no
object has ``metrics``, an object with at least two of k6's built-in metrics is a summary as well
(``{"http_reqs": {"count": 1000, "rate": 99.9}, …}``); the script's custom metrics are not read
there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.k6.words import (
    BUILTIN,
    CONTENTS,
    KINDS,
    Crossing,
    Kind,
    Measure,
    Number,
    complete,
    is_statistic,
    record,
    split_name,
)
from benchkit.parsers.leaves import DamageError, Leaf, Path, walk
from benchkit.reading.bounds import require_few
from benchkit.reading.signs import begins_json
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import parse_duration, scale

#: Maximum size of a summary.
LARGEST = 64 << 20

_BUILTIN = r"http_req\w*+|iterations|iteration_duration|vus(?:_max)?|data_(?:sent|received)|checks"
_KNOWN = regex(
    rf'"(?:{_BUILTIN})(?:\{{[^"]*+(?<=\}}))?"\s*:\s*\{{\s*"(?:type|contains|values|thresholds|avg|min|med'
    r'|max|p\([\d.]+\)|count|rate|value|passes|fails)"'
    r'|"testRunDurationMs"\s*:|"k6_?[vV]ersion"\s*:'
    rf'|"name"\s*:\s*"(?:{_BUILTIN})[^"]*+"\s*,\s*"type"\s*:|"name"\s*:\s*"checks_total"'
    r'|"root_group"\s*:\s*\{'
)
_POINT = regex(r'\{[^\n]*"type"\s*:\s*"(?:Metric|Point)"')
#: Files made from a k6 run that benchkit does not read.
_REFUSED = (
    (regex(r"<title>k6 report</title>"), "an HTML report of k6's web dashboard"),
    (
        regex(r"<title>(?=[^<]*(?i:k6))[^<]*+</title>|k6-reporter"),
        "an HTML report made from k6's",
    ),
    (regex(r'<testsuite name="k6 thresholds"'), "a JUnit file made from k6's thresholds"),
)
_OPEN = {"constant-arrival-rate", "ramping-arrival-rate"}
#: Maximum number of keys above a summary, and keys below which no summary is searched.
_DEEPEST, _OTHER = 8, {"root_group", "setup_data"}
_CLOSED = {
    "constant-vus", "ramping-vus", "shared-iterations", "per-vu-iterations", "externally-controlled"
}  # fmt: skip


@dataclass(slots=True)
class _Document:
    """The content of a summary in any of the three forms."""

    form: str = "export"
    entries: dict[Path, dict[str, Leaf]] = field(default_factory=dict)
    rules: list[tuple[Crossing, bool]] = field(default_factory=list)
    facts: dict[str, Leaf] = field(default_factory=dict)
    scenarios: dict[str, dict[str, str]] = field(default_factory=dict)
    last: Path = ()
    line: int = 1
    last_line: int = 1
    count: int = 0

    @property
    def is_known(self) -> bool:
        """Return whether the summary has a number of a built-in metric of k6."""
        return any(
            split_name(name)[0] in BUILTIN and any(leaf.is_number for leaf in leaves.values())
            for name, leaves in self.named()
        )

    @property
    def is_bare_summary(self) -> bool:
        """Return whether it has statistics of at least two built-in metrics of k6."""
        known = {
            name
            for whole, leaves in self.named()
            for name in (split_name(whole)[0],)
            if name in BUILTIN
            and any(is_statistic(name, key) and leaf.is_number for key, leaf in leaves.items())
        }
        return len(known) > 1

    def named(self) -> Iterator[tuple[str, dict[str, Leaf]]]:
        """Yield each metric's name and its leaves."""
        for path, leaves in self.entries.items():
            by_path = str(path[1]) if path[0] == "metrics" else ""
            yield (leaves["name"].string if "name" in leaves else by_path), leaves

    def take(self, leaf: Leaf) -> None:
        """Store a leaf."""
        match leaf.path:
            case ("metrics", str(), str(key)):
                self.enter(leaf, 2, key, self.form)
            case ("metrics", str(), "values", str(key)):
                self.enter(leaf, 2, key, "handlesummary")
            case ("results", "metrics", int(), *_, str(key)):
                self.enter(leaf, 3, key, "machine")
            case ("results", "checks", "metrics", int(), *_, str(key)):
                self.enter(leaf, 4, key, "machine")
            case ("metrics", str(name), "thresholds", str(rule)):
                self.rules.append((Crossing(leaf.line, f"{name} {rule}"), leaf.text == "true"))
            case ("metrics", str(name), "thresholds", str(rule), "ok"):
                self.rules.append((Crossing(leaf.line, f"{name} {rule}"), leaf.text == "false"))
            case ("state", "testRunDurationMs") | ("config", "duration"):
                self.facts["duration"] = leaf
            case ("metadata", "k6_version" | "k6Version"):
                self.facts["version"] = leaf
            case ("options", "scenarios", str(name), str(key)):
                self.scenarios.setdefault(name, {})[key] = leaf.string or leaf.text

    def enter(self, leaf: Leaf, depth: int, key: str, form: str) -> None:
        """Store a leaf in the metric at the first ``depth`` steps of its path."""
        self.last = leaf.path[:depth]
        entry = self.entries.setdefault(self.last, {})
        if leaf.is_number or key in {"name", "type", "contains"}:
            entry[key] = leaf
            self.count += 1
            require_few(self.count, leaf.line)
        self.form = form if leaf.is_number else self.form


@dataclass(slots=True)
class _Summaries:
    """The summaries of a text, by the keys above them."""

    documents: dict[Path, _Document] = field(default_factory=dict)
    latest: Path = ()
    is_bare: bool = False  # whether metrics have no "metrics" key above them

    def take(self, leaf: Leaf) -> None:
        """Store a leaf in its summary."""
        depth = _find_depth(leaf.path, is_bare=self.is_bare)
        if depth is not None:
            self.latest = leaf.path[:depth]
            if self.latest not in self.documents:
                self.documents[self.latest] = _Document(line=leaf.line if depth else 1)
            path = ("metrics", *leaf.path[depth:]) if self.is_bare else leaf.path[depth:]
            self.documents[self.latest].take(leaf._replace(path=path))
        if leaf.path[: len(self.latest)] == self.latest and self.latest in self.documents:
            self.documents[self.latest].last_line = leaf.line

    def choose(self) -> dict[Path, _Document]:
        """Return the outermost summary if it has metrics, else nested ones with k6's metrics."""
        if self.is_bare:
            return {place: each for place, each in self.documents.items() if each.is_bare_summary}
        outermost = self.documents.get((), _Document())
        known = {place: each for place, each in self.documents.items() if each.is_known}
        return {(): outermost} if outermost.entries or not known else known


def _is_builtin(path: Path) -> bool:
    """Return whether a path begins with a built-in metric of k6 and leads to a value of it."""
    match path:
        case (str(name), str(), *_):
            return split_name(name)[0] in BUILTIN
    return False


def _find_depth(path: Path, *, is_bare: bool) -> int | None:
    """Return the number of keys above a leaf's summary; None if it belongs to no summary."""
    for depth, key in enumerate(path[:_DEEPEST]):
        if key in _OTHER:
            return None
        if is_bare:
            if _is_builtin(path[depth:]):
                return depth
            continue
        match path[depth : depth + 4]:
            case (
                ("metrics", str(), _, *_)
                | ("results", "metrics", int(), *_)
                | ("results", "checks", "metrics", int())
                | ("state", "testRunDurationMs")
                | ("config", "duration")
                | ("metadata", "k6_version" | "k6Version")
                | ("options", "scenarios", str(), str())
            ):
                return depth
    return None


def recognises(head: Head) -> bool:
    """Return whether a text is JSON with k6's metrics, or a report made from a run."""
    if not head.is_start or not head.text:
        return False
    text = head.text.lstrip()
    is_summary = begins_json(text) and bool(_KNOWN.search(text)) and not _POINT.match(text)
    return is_summary or bool(_find_report(text))


def parse(source: Source) -> Iterator[Record]:
    """Yield the runs of a file with summaries.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded, as partial.
    """
    blocks = UntilDamage(source.blocks())
    text = _join(blocks, source.label)
    report = _find_report(text)
    what = f"{report}, which benchkit does not read" if report else ""
    if len(text) > LARGEST:
        what = "larger than 64 MiB, too large for a k6 summary"
    if what:
        hint = "use the raw output instead: --summary-export, --out json or --out csv"
        yield Diagnostic(source.label, 0, what, hint)
        return
    summaries, damage = _collect(text, source.label, is_bare=False)
    if not any(each.entries for each in summaries.documents.values()):
        bare = _collect(text, source.label, is_bare=True)
        summaries, damage = bare if bare[0].choose() else (summaries, damage)
    chosen, reported = summaries.choose(), set[Diagnostic]()
    for place, document in chosen.items():
        problems = damage if len(chosen) == 1 or place == summaries.latest else []
        for each in _read_summary(source, document, place, list(problems)):
            if isinstance(each, Diagnostic):
                if each in reported:
                    continue
                reported.add(each)
            yield each
    blocks.raise_damage()


def _collect(text: str, label: str, *, is_bare: bool) -> tuple[_Summaries, list[Diagnostic]]:
    """Return the summaries of a text, and the places where it is damaged."""
    summaries, damage = _Summaries(is_bare=is_bare), list[Diagnostic]()
    try:
        for leaf in walk(text):
            summaries.take(leaf)
    except DamageError as error:
        cut = summaries.documents.get(summaries.latest, _Document())
        if not error.is_whole:
            cut.entries.pop(cut.last, None)
        what = f"{error}; everything before this point is kept"
        hint = "write the file again"
        damage.append(Diagnostic(label, error.line, what, hint, "warning"))
    return summaries, damage


def _join(blocks: Iterable[bytes], label: str) -> str:
    """Return the text, up to the maximum size."""
    data = bytearray()
    for block in blocks:
        data += block
        if len(data) > LARGEST:
            break
    return Source(None, label, bytes(data)).text()


def _find_report(text: str) -> str:
    """Return which report made from a run a text is; empty for any other text."""
    begin = text.lstrip()[: 1 << 16]
    kinds = (what for pattern, what in _REFUSED if pattern.search(begin))
    return next(kinds, "") if begin.startswith("<") else ""


def _read_summary(
    source: Source, document: _Document, place: Path, problems: list[Diagnostic]
) -> Iterator[Record]:
    """Yield the reading of one summary, then its problems."""
    first, last = document.line, document.last_line
    reading = Reading(tool="k6", form=document.form, line=first, last_line=last)
    reading.headings = tuple(key for key in place if isinstance(key, str))
    if version := document.facts.get("version"):
        reading.tool_version = version.string or None
    if problems:
        reading.status, reading.env["report"] = "partial", "cut"
    unclear = _record_all(reading, document)
    duration = document.facts.get("duration")
    if duration and duration.is_number:
        reading.duration = scale(duration.text, -3 if duration.path[0] == "state" else 0)
        reading.add("duration", "total", reading.duration, "s", duration.line)
    if not reading.rows:
        what = "JSON with none of k6's metrics (handleSummary may have been customised)"
        hint = "use --summary-export, handleSummary's whole data, or --out json"
        yield from problems or [Diagnostic(source.label, 0, what, hint)]
        return
    crossed = [crossing for crossing, is_crossed in document.rules if is_crossed]
    if document.rules and not problems:
        line, n = document.rules[-1][0].line, len(document.rules)
        count = float(len(crossed))
        reading.add("thresholds_crossed", "count", count, "1", line, n=n, origin="computed")
    _describe_load(reading, document.scenarios)
    problems += complete(reading, source.label, crossed)
    if unclear:
        what = f"an export does not say whether {', '.join(unclear)} are times in ms"
        what = f"{what}; the numbers are kept unchanged, under names with {_AS_EXPORTED}"
        hint = "use the text summary, handleSummary's data or --out json to get units"
        problems.append(Diagnostic(source.label, 1, what, hint, "note", is_remark=True))
    yield reading
    yield from problems


def _record_all(reading: Reading, document: _Document) -> list[str]:
    """Add the rows of every metric; return the names of trends without a known unit.

    Trends of unknown unit get a separate name, so that they are never compared with known units.
    """
    unclear, measures = [], []
    for whole, leaves in sorted(document.named(), key=lambda metric: metric[0].count("{")):
        words = {key: leaf.string for key, leaf in leaves.items()}
        numbers = {key: leaf for key, leaf in leaves.items() if leaf.is_number}
        name, tags = split_name(whole)
        kind, unit = _find_kind(name, words, numbers.keys())
        if not unit and numbers and name and not words.get("contains"):
            unclear.append(whole)
            name, kind, unit = f"{name}{_AS_EXPORTED}", "trend", "1"
        if name and unit:
            measures.append(_read_numbers(Measure(name, tags, kind, unit), numbers))
    record(reading, measures)
    return unclear


def _find_kind(name: str, words: Mapping[str, str], keys: Collection[str]) -> tuple[Kind, str]:
    """Return kind and unit: as declared, as defined by k6, or inferred from the keys."""
    declared = KINDS.get(words.get("type", ""))
    if declared is not None:
        return declared, CONTENTS.get(words.get("contains", ""), "")
    by_words = ((kind, "1") for kind, signs in _SIGNS.items() if signs.issubset(keys))
    return BUILTIN.get(name) or next(by_words, ("trend", ""))


def _read_numbers(measure: Measure, numbers: Mapping[str, Leaf]) -> Measure:
    for key, leaf in numbers.items():
        is_time = measure.unit == "s" and not (key == "count" and measure.kind == "trend")
        number = Number(scale(leaf.text, -3 if is_time else 0), leaf.line)
        measure.numbers[_WORDS.get((measure.kind, key), key)] = number
    return measure


#: Suffix for the names of trends whose unit an export does not record.
_AS_EXPORTED = "_as_exported"
#: Keys that differ from the text: the share in an export, the counts in the machine-readable form.
_WORDS = {("rate", "value"): "rate", ("rate", "matches"): "passes"}
#: Keys that identify the kind of a user-defined metric in an export.
_SIGNS: dict[Kind, set[str]] = {
    "counter": {"count", "rate"}, "rate": {"passes", "fails"}, "gauge": {"value"}
}  # fmt: skip


def _describe_load(reading: Reading, scenarios: dict[str, dict[str, str]]) -> None:
    """Set the load model from the executors, if the options list the scenarios."""
    executors = {scenario.get("executor", "") for scenario in scenarios.values()}
    if executors and executors <= _OPEN:
        reading.load_model = "open"
    elif executors and executors <= _CLOSED:
        reading.load_model = "closed"
    if executors == {"constant-arrival-rate"} and len(scenarios) == 1:
        (scenario,) = scenarios.values()
        with suppress(KeyError, ValueError, ZeroDivisionError):
            period = parse_duration(scenario.get("timeUnit", "1s")).value
            reading.target_rate = float(scenario["rate"]) / period
