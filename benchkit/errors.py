"""The errors benchkit raises, and the diagnostics and findings it records.

A usage error stops a command; bad data costs one file, so it becomes a record, not an exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

from benchkit.listing import list_first, printable
from benchkit.regexes import regex

#: Maximum number of origins that an error lists; the rest are counted.
_LISTED = 12


class ExitCode(IntEnum):
    """The exit codes of benchkit commands."""

    DONE = 0
    REGRESSION = 1
    USAGE = 2
    DATA = 3
    INCONCLUSIVE = 4
    INTERRUPTED = 130
    CLOSED = 141


class BenchkitError(Exception):
    """An error that the user can fix.

    Parameters
    ----------
    what : str
        What went wrong and why, lower case, no trailing period.
    where : str, optional
        ``path``, ``path:line`` or an option's name.
    hint : str, optional
        What to do about it.
    options : sequence of str, optional
        Words that complete the typed command, for example.
    """

    exit_code = ExitCode.USAGE

    def __init__(
        self, what: str, *, where: str = "", hint: str = "", options: Sequence[str] = ()
    ) -> None:
        what = _redact(what)
        self.options = tuple(map(_redact, options))
        super().__init__(what)
        self.what = what
        self.where = _redact(where)
        self.hint = _redact(hint)

    def __str__(self) -> str:
        return describe(self.what, where=self.where, hint=self.hint)


class ConfigError(BenchkitError):
    """A configuration file, sidecar or option cannot be used."""


class SelectionError(BenchkitError):
    """A selection names something that is not in the data."""

    exit_code = ExitCode.DATA


class BaselineError(SelectionError):
    """No baseline was named, and none can be inferred from the variants' names.

    Parameters
    ----------
    what, hint : str
        As in `BenchkitError`.
    candidate : str, optional
        A variant that could be selected.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, what: str, *, hint: str = "", candidate: str = "") -> None:
        super().__init__(what, hint=hint, options=("--baseline", candidate))
        self.candidate = candidate


class OriginError(SelectionError):
    """Several origins have runs of a side, and none of them was selected."""

    exit_code = ExitCode.USAGE

    def __init__(self, variant: str, origins: Sequence[str]) -> None:
        names = [repr(origin) if origin else "(this machine)" for origin in origins]
        super().__init__(
            f"the store holds runs of {variant!r} from {len(origins)} origins: "
            f"{list_first(names, _LISTED)}",
            hint="choose one with --origin ORIGIN, or origin= in Python; `benchkit runs` lists "
            "the runs of each origin",
        )


class DataError(BenchkitError):
    """There is nothing to work on: nothing was parsed or compared, or no names match."""

    exit_code = ExitCode.DATA


class StoppedError(BenchkitError):
    """The user stopped the work in progress; the message says what is kept."""

    exit_code = ExitCode.INTERRUPTED


class UnmeasuredError(DataError):
    """A variant was expected to be measured again, but there are only earlier runs."""


class OutdatedError(UnmeasuredError):
    """A variant was not measured again, but others of its folder were."""


class MissingError(DataError):
    """A named path does not exist; ``argument`` is the PATH as typed."""

    argument = ""


class UnknownFormatError(DataError):
    """No format recognises a source; ``line`` is the line that identifies its tool, or 0."""

    line = 0


class ForeignError(UnknownFormatError):
    """A source is complete but is not a result: notes, settings, a list of targets."""


class AmbiguousFormatError(DataError):
    """More than one format claims the same source."""


class SchemaError(DataError):
    """A table lacks the columns or types of the schema."""


class StoreError(DataError):
    """The store cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem met while reading a source; the rest of its data is kept.

    Parameters
    ----------
    path : str
        The source as the user knows it.
    line : int
        Line in the source, counted from 1; 0 for the whole source.
    what, hint : str
        The problem and why it matters; the remedy.
    severity : {'error', 'warning', 'note'}
        ``error``: the source, or a part of it, was refused. ``warning``: it was read with the
        reported loss. ``note``: nothing was lost (a companion for a later step, for example).
    is_remark : bool
        Whether it is about the measurement (timeouts, a failed run) while the source is complete.
    """

    path: str
    line: int
    what: str
    hint: str = ""
    severity: str = "error"
    is_remark: bool = False

    def __post_init__(self) -> None:
        """Remove secrets from text that may quote the source."""
        for name in ("path", "what", "hint"):
            object.__setattr__(self, name, _redact(getattr(self, name)))

    @property
    def is_damage(self) -> bool:
        """Whether something that was, or should have been, in the source was lost."""
        return self.severity != "note" and not self.is_remark

    @property
    def where(self) -> str:
        """The place as ``path:line``."""
        return f"{self.path}:{self.line}" if self.line else self.path

    def __str__(self) -> str:
        return describe(self.what, where=self.where, hint=self.hint)


def read_message(error: BaseException) -> str:
    """Return the message of an exception; empty if it cannot be created."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a plug-in's exception may do anything
        return ""


def describe_failure(error: BaseException) -> str:
    """Return the type and message of an exception, without secrets.

    Masked separately: text that follows could be mistaken for the rest of a secret at the end.
    """
    return f"{type(error).__name__}: {_redact(read_message(error))}".removesuffix(": ")


@lru_cache(256)  # a damaged source can repeat one message thousands of times
def _redact(text: str) -> str:
    """Remove secrets from a message; the imports happen only if there is a message."""
    from benchkit.redaction import redact_message

    return shorten(redact_message(text))


#: Lengths of a word and of a message above which the middle is omitted.
_LONG_WORD, _LONG = 500, 4_000
_LONG_WORDS = regex(rf"\S{{{_LONG_WORD + 1},}}")


def shorten(text: str) -> str:
    """Omit the middle of long words and long texts, because quoted input has no maximum length.

    Examples
    --------
    >>> len(shorten("a" * 1_000_000 + " b")), shorten("a b")
    (502, 'a b')
    """
    if len(text) <= _LONG_WORD:
        return text
    return _cut(_LONG_WORDS.sub(lambda match: _cut(match[0], _LONG_WORD), text), _LONG)


def _cut(text: str, most: int) -> str:
    kept = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - kept]}…{text[-kept:]}"


def describe(what: str, *, where: str = "", hint: str = "") -> str:
    """Write a problem on one line: ``where: what; hint``."""
    head = f"{where}: {what}" if where else what
    return f"{head}; {hint}" if hint else head


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact about the data that the reader of a result has to know.

    Parameters
    ----------
    code : str
        ``B201``; documented by ``benchkit explain CODE``.
    severity : {'info', 'warning', 'error'}
    message, remedy : str
        The problem, with its numbers in words; the remedy.
    where : str
        The variant, benchmark, run or ``path:line`` concerned; empty for the whole comparison.
    numbers : mapping of str to float or str
        The numbers in the message, for programs.

    Examples
    --------
    >>> print(Finding(code="B423", severity="warning", message="spans were lost", where="otlp"))
    B423 otlp: spans were lost
    """

    code: str
    severity: str
    message: str
    remedy: str = ""
    where: str = ""
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Shorten long names in a quotation."""
        for name in ("message", "remedy", "where"):
            object.__setattr__(self, name, shorten(getattr(self, name)))

    def __str__(self) -> str:
        text = describe(self.message, where=self.where, hint=self.remedy)
        return printable(f"{self.code} {text}")

    def __repr__(self) -> str:
        where = f"{self.code} {self.where}".strip()
        return printable(f"<Finding {self.severity} {describe(self.message, where=where)}>")

    def _repr_html_(self) -> str:
        from html import escape

        text = escape(printable(describe(self.message, where=self.where)))
        remedy = f"<br>→ {escape(printable(self.remedy))}" if self.remedy else ""
        kind = f"<b>{escape(self.severity)} {escape(self.code)}</b>"
        return f"<p {NO_MATHS}>{kind} {text}{remedy}</p>"


#: Keeps notebooks from reading dollar signs in names as formulas.
NO_MATHS = 'class="tex2jax_ignore mathjax_ignore"'
#: Severities, the most serious first.
SEVERITIES = ("error", "warning", "info")


def rank(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, the most serious first; keep those of one code together."""
    collected = tuple(findings)
    codes = {code: place for place, code in enumerate(dict.fromkeys(f.code for f in collected))}
    return tuple(sorted(collected, key=lambda f: (SEVERITIES.index(f.severity), codes[f.code])))


def at_least(findings: Iterable[Finding], severity: str) -> tuple[Finding, ...]:
    """Return the findings of at least a severity."""
    grave = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return tuple(finding for finding in findings if finding.severity in grave)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """The outcome of one source of an ingest.

    Parameters
    ----------
    label : str
        The source as the user knows it.
    outcome : {'read', 'unchanged', 'duplicate', 'empty', 'refused', 'failed'}
        ``failed``: a run that its sidecar marks as failed, and that left nothing to read.
    formats : tuple of str
        Those that claimed it.
    runs, values : int
        How much was read.
    reason : str
        The reason why nothing more was read.
    variant : str
        The variant of the missing run; empty if it was read or is unknown.
    is_unread : bool
        Whether its bytes could not be read, so its format is unknown.
    """

    label: str
    outcome: str
    formats: tuple[str, ...] = ()
    runs: int = 0
    values: int = 0
    reason: str = ""
    variant: str = ""
    is_unread: bool = False
