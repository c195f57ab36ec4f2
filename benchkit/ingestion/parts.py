"""Runs as recorded by one source; only this module defines the order of precedence of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from benchkit import schema
from benchkit.errors import ConfigError
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.batches import escape
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.recorded import label_run
from benchkit.ingestion.soundness import COUNTS
from benchkit.ingestion.sources import Found, Identity
from benchkit.labels.captions import join_names
from benchkit.labels.headings import Sections
from benchkit.labels.matching import Rename, split_variant
from benchkit.labels.numbering import Piece
from benchkit.labels.patterns import PathLabels
from benchkit.labels.pieces import Words, read_words
from benchkit.labels.sections import FILE
from benchkit.labels.shards import SHARD, leave_shard, list_facts
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Reading
from benchkit.redaction import (
    HIDDEN,
    redact_command,
    redact_fact,
    redact_label,
    redact_message,
    redact_quote,
    redact_value,
)
from benchkit.redaction.marks import remember
from benchkit.schema import Side
from benchkit.units import printable

if TYPE_CHECKING:
    import numpy as np

    from benchkit.labels.sidecars import Sidecar
    from benchkit.labels.windows import Window


@dataclass(slots=True, kw_only=True)
class Part(Piece):
    """One run as recorded by one source: its labels and facts.

    ``batch`` and ``piece`` link it to its values; ``label`` is the path as the user knows it;
    ``assigned`` holds the command-line labels that belong to the source's identity; ``fingerprint``
    changes if labels or the reader change; ``gone_from`` names the folder that a later ingest read
    without the source; ``renewed`` is the batch in which the source replaced another measurement.
    ``joined`` is the earliest batch whose sources an ingest read together with it, 0 if none, and
    -1 if an earlier build stored it. ``content`` is the digest of its values, 0 if it has none or
    an earlier build stored it.
    """

    assigned: str = ""
    batch: int = 0
    label: str = ""
    line: int = 0
    piece: int = 0
    fingerprint: str = ""
    gone_from: str = ""
    renewed: int = 0
    joined: int = -1
    content: int = 0

    @property
    def is_companion(self) -> bool:
        """Return whether its tool describes something that ran alongside the load."""
        return registry.tool(self.tool).role == "companion"

    @property
    def is_timed(self) -> bool:
        """Return whether no fixed-count run of its tool can last whole seconds."""
        return registry.tool(self.tool).is_timed

    @property
    def contents(self) -> Sequence[int] | np.ndarray:
        """The digest of the values of each of its runs."""
        if self.places is None:
            return [self.content]
        contents = self.places.contents
        return [0] * self.size if contents is None else contents

    @property
    def words(self) -> Words:
        """The relevant words of its shown command, for its tool."""
        tool = registry.tool(self.tool)
        return read_words(self.shown_command, tool.outputs, tool.printing)

    @property
    def identity(self) -> Identity:
        """The key that distinguishes its source from all others in a store."""
        return Identity(self.origin, self.path, self.assigned)


_EXITED = ": its command exited with code {}"
_NO_SECTIONS = Sections()
_NO_PATH = PathLabels("", "", "", (), None, "measured", "", "", "", "")
#: The metrics by which blocks are distinguished.
_COUNTED = frozenset({"requests", "bytes_in", "bytes_out"})
_TEXTS = tuple(field.name for field in fields(Part) if str(field.type) in {"str", "str | None"})
_get_texts = attrgetter(*_TEXTS)


def make_part(
    reading: Reading,
    form: Format,
    found: Found,
    options: Options,
    renames: Sequence[Rename] = (),
    section: Sections | None = None,
    *,
    is_alone: bool = False,
) -> Part:
    """Label a reading, resolving its labels by precedence.

    Parameters
    ----------
    reading : Reading
        The complete reading of the parser.
    found : Found
        The source.
    renames : sequence of Rename
        The renames of the options, parsed.
    section : Sections, optional
        Labels from the headings above the block.
    is_alone : bool
        Whether the source contains no benchmark of another name.
    """
    found = _choose_labels(found, reading, options)
    path, side, section = found.labels, found.sidecar, section or _NO_SECTIONS
    role = _find_role(reading, form, found, section)
    split = split_variant(reading.benchmark, options.split)
    variant = found.variant or options.variant or split or side.variant or reading.variant
    headings = section.list_names(is_variant_taken=bool(variant))
    if reading.benchmark and path.benchmark:
        headings = {FILE: show_label(path.benchmark), **headings}
    params = *reading.params.items(), *path.params, *side.params.items()
    values = {row[1:3]: row[3] for row in reading.rows if row[1] in _COUNTED and row[0] is None}
    part = Part(
        path=found.address,
        origin=found.origin,
        assigned=found.assigned,
        label=found.label,
        format=form.name,
        tool=reading.tool,
        form=reading.form,
        line=reading.line,
        joined=0,
        group=show_label(side.group or leave_shard(path.group, found.generator) or reading.group),
        variant=show_label(variant or section.variant or path.variant),
        benchmark=show_label(_name_benchmark(reading, found, options, renames, is_alone=is_alone)),
        target=show_label(rename(reading.target, renames)),
        params=_show_params(params) if params else "",
        run=next((run for run in (side.run, reading.run, path.run) if run is not None), None),
        is_exported=int(reading.exported_from is not None),
        role=role,
        folder=name_path(path.folder),
        leftover=name_path(path.leftover),
        pkg=name_path(escape(reading.env.get("pkg", ""))),
        status=reading.status,
        headings=headings,
        caption=section.caption,
        lines="\n".join(map(show_label, section.lines)),
        shown_command=redact_command(reading.command, marked=True) if reading.command else "",
        requests=_count_requests(values),
        attack_rate=find_attack_rate(reading),
        request_size=_find_size(values, "bytes_out"),
        response_size=_find_size(values, "bytes_in"),
    )
    if reason := _explain(reading, side, role):
        part.remark = show_remark(found.label, reason)
    _complete(part, reading, found)
    enter_commit(part, options)
    _escape_texts(part)
    return part


def _explain(reading: Reading, side: Sidecar, role: str) -> str:
    """Return the remark on a run, to be written after its place."""
    if role == "damaged" and side.damage:
        return f": {side.damage}"
    if reading.remark:
        return f":{redact_quote(reading.remark)}"
    return _EXITED.format(side.exit_code) if role == "failed" and side.exit_code else ""


def _choose_labels(found: Found, reading: Reading, options: Options) -> Found:
    """Return a source without the labels of its path, if these don't apply to its runs."""
    if options.importing:
        return label_run(found, reading, _NO_PATH)
    return found if reading.exported_from is None else _keep_labels(found, reading)


def _keep_labels(found: Found, reading: Reading) -> Found:
    """Return an exported table's source, whose path does not describe the runs in it."""
    label, is_typed = reading.exported_from or found.label, "variant=" in found.assigned
    return replace(found, label=label, labels=_NO_PATH, variant=found.variant if is_typed else "")


def _find_role(reading: Reading, form: Format, found: Found, section: Sections) -> str:
    side = found.sidecar
    is_exit_bad = _is_bad(side.exit_code, reading.tool) and not form.is_companion
    if reading.status == "failed" or is_exit_bad:
        return "failed"
    role = reading.role or side.role or found.labels.role
    if role != "measured":
        return role
    if form.is_companion:
        return "companion"
    return "warmup" if section.is_warm_up else "damaged" if side.damage else role


def _is_bad(code: int | None, tool: str) -> bool:
    return bool(code) and code not in registry.tool(tool).whole_exits


def _name_benchmark(
    reading: Reading, found: Found, options: Options, renames: Sequence[Rename], *, is_alone: bool
) -> str:
    """Return the benchmark's name; a declared one is used, or leads several names of a file."""
    by_path = "" if registry.tool(reading.tool).role == "companion" else found.labels.benchmark
    declared = options.benchmark or found.sidecar.benchmark or ""
    declared = declared or (by_path if found.labels.by_layout else "")
    if not reading.benchmark or (declared and is_alone):
        return rename(declared or by_path, renames)
    return join_names(declared, rename(reading.benchmark, renames))


def _escape_texts(part: Part) -> None:
    """Escape lone surrogates, which JSON can contain but texts cannot."""
    texts = _get_texts(part)
    if not "".join(filter(None, texts)).isascii():
        for name, text in zip(_TEXTS, texts, strict=True):
            if text:
                setattr(part, name, escape(text))
    if not "".join(chain(part.env, part.env.values())).isascii():
        part.env = {escape(name): escape(value) for name, value in part.env.items()}


def enter_commit(part: Part, options: Options) -> None:
    """Add the machine and the commit from the command line; the commit leads the group."""
    recorded = part.env.get("commit", "")
    if options.commit and not _is_same(recorded, options.commit):
        for name in ("date", "branch"):  # those of the commit that the source records
            part.env.pop(name, None)
    if options.meta:
        part.env.update(show_facts(dict(options.meta)))
    if options.commit:
        part.env["commit"] = options.commit
    if options.importing and options.importing.branch:
        part.env.setdefault("branch", options.importing.branch)
    if options.commit or options.importing:
        part.group = "/".join(filter(None, (part.env["commit"], part.group)))


def _is_same(recorded: str, commit: str) -> bool:
    """Return whether a source records this commit, in full or shortened, or none at all."""
    return recorded.startswith(commit) or commit.startswith(recorded)


def _count_requests(values: Mapping[tuple[str, str], float]) -> int | None:
    """Return the number of requests in a report, unless no tool can have counted that many."""
    count = values.get(("requests", "count"), 0)
    return int(count) or None if count < COUNTS else None


def _find_size(values: Mapping[tuple[str, str], float], metric: str) -> float | None:
    """Return the mean size in bytes of a request or response, if the report shows it."""
    mean, total = values.get((metric, "mean")), values.get((metric, "total"))
    count = values.get(("requests", "count"))
    return total / count if mean is None and total is not None and count else mean


def find_attack_rate(reading: Reading) -> float | None:
    """Return the sending rate of an open loop; most tools report only the served rate."""
    if reading.load_model != "open" or not registry.tool(reading.tool).reports_sent:
        return None
    rates = {row[1]: row[3] for row in reading.rows if row[0] is None and row[2] == "mean"}
    return rates.get("request_rate")


def rename(name: str, renames: Sequence[Rename]) -> str:
    """Apply the user's renames to a benchmark's name, in order."""
    for change in renames:
        name = change.apply(name)
    return name


def require_one_name(part: Part, name: str, named: dict[tuple[Side, str], str]) -> None:
    """Refuse two benchmarks of one source that get the same name.

    This may happen through the user's renames, or the few digits that replace a secret.

    Parameters
    ----------
    name : str
        The name in its source.
    named : dict of (Side, package) to name
        The names of the source so far; this one is added.

    Raises
    ------
    ConfigError
        If both would count as runs of one benchmark.
    """
    if (first := named.setdefault((part.labels.side, part.pkg), name)) != name:
        if HIDDEN in part.benchmark:
            raise ConfigError(
                "two benchmark names differ only in a secret, so both would become "
                f"{part.benchmark}",
                hint="rename one of them so that no secret is part of the name",
            )
        raise ConfigError(
            f"rename turns both {first} and {name} into {part.benchmark}, so they would count as "
            "one benchmark",
            hint="keep a part in which the names differ",
        )


def _complete(part: Part, reading: Reading, found: Found) -> None:
    """Set the facts of the run, once its reading is complete."""
    side, window = found.sidecar, _window(part, found)
    part.complete(reading)
    part.complete(side)
    if side.load_model != "unknown":
        part.load_model = side.load_model
    if window and part.started_at is None:
        part.started_at = window.start
    if window and part.duration is None and part.started_at == window.start:
        part.duration = (window.end - window.start).total_seconds()
    if window and _is_bad(window.exit_code, part.tool):
        part.role = "failed"
        part.remark = show_remark(found.label, _EXITED.format(window.exit_code))
    if part.target_rate is None and part.command:
        part.target_rate = registry.tool(part.tool).find_rate(part.command) or None
    part.command = _show_command(part.command)
    shard = {SHARD: found.labels.shard} if found.labels.shard else {}
    part.env = show_facts({**reading.env, **shard, **list_facts(side), **side.env})
    part.stopping = show_facts(side.stopping)
    part.conditions = show_facts(side.conditions)
    if names := dict.fromkeys((*reading.assume, *reading.better)):
        part.units = {show_label(name): _unit_words(name, reading) for name in names}


@remember
def _show_command(command: str | None) -> str | None:
    return redact_command(command) if command else command


#: A label as it is displayed and stored.
show_label = remember(redact_label)


def show_remark(where: str, reason: str) -> str:
    """Return a remark on a run: the place, and the message of a tool or benchkit."""
    return printable(f"{redact_message(where)}{redact_message(reason)}")


def show_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of a run, without secrets."""
    return dict(_show_facts(tuple(facts.items())))


_show_value = remember(redact_value)


@remember
def _show_facts(facts: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(show_label(name), redact_fact(name, value)) for name, value in facts]


@remember
def _show_params(params: tuple[tuple[str, str], ...]) -> str:
    """Write params without secrets; of several with one name the last one is used."""
    shown = {show_label(name): _show_value(name, value) for name, value in dict(params).items()}
    return schema.format_params(shown)


def _window(part: Part, found: Found) -> Window | None:
    """Return the window of a run in ``runs.json``, if its path shows which run it is."""
    if found.sidecars is None or found.path is None or part.run is None or part.role != "measured":
        return None
    find, run = found.sidecars.window_for, (part.variant, part.run, found.path)
    named_by_path = find(*run, benchmark=found.labels.leftover, group=part.group)
    return named_by_path or find(*run, benchmark=part.benchmark, group=part.group)


def _unit_words(name: str, reading: Reading) -> str:
    words = (("assume", reading.assume.get(name)), ("better", reading.better.get(name)))
    return " ".join(f"{key}={value}" for key, value in words if value)
