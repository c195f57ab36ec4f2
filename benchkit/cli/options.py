"""Options that several commands share, and the data they load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit import config
from benchkit.cli import selected
from benchkit.cli.completion import complete_metric, complete_pair, complete_variant
from benchkit.cli.printing import print_line, show_problems
from benchkit.errors import ConfigError, Diagnostic
from benchkit.selection import match_any, match_names
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.api import RunSet
    from benchkit.ingestion.discovery import Options
    from benchkit.schema import Observations

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATH]...",
        help="Files, folders, git:REF:PATH or URLs, each optionally as label=path; - is standard "
        "input. Without PATH, the store is read.",
    ),
]


def _name_variants(option: str, help: str) -> object:
    """Declare an option that takes variants."""
    return typer.Option(
        option, help=help, autocompletion=complete_variant, callback=selected.compose
    )


StoreOption = Annotated[
    str | None, typer.Option("--store", help="Folder or URL of the store. [default: .benchkit]")
]
OF_ORIGIN = (
    "Use only runs from the CI job or machine of this name, or from all of whose names it "
    "is a whole part (`github/71`)"
)
Origin = Annotated[
    list[str] | None,
    typer.Option(
        "--origin",
        metavar="O",
        help=f"{OF_ORIGIN}; repeatable: the first match counts. [default: the current CI job, else "
        "the only origin]",
    ),
]
IngestOrigin = Annotated[
    str | None,
    typer.Option(
        "--origin",
        metavar="O",
        help="Name of the CI job or machine that made the runs. [default: this CI job, else none "
        "for a local store and the host name for a store behind a URL]",
    ),
]
Layout = Annotated[
    str | None,
    typer.Option(
        "--layout", help="Path pattern that replaces the built-in ones, e.g. '{variant}/{run}.txt'."
    ),
]
Variant = Annotated[
    list[str] | None,
    _name_variants("--variant", "Variant to compare; repeatable. [default: all others]"),
]
Baseline = Annotated[
    str | None,
    _name_variants(
        "--baseline",
        "Variant that the others are compared with. [default: as `capture` recorded it, else "
        "inferred from the names]",
    ),
]
Pair = Annotated[
    list[str] | None,
    typer.Option(
        "--pair",
        metavar="A:B",
        help="Compare B against A; repeatable.",
        autocompletion=complete_pair,
        callback=selected.compose,
    ),
]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="M[.STAT]",
        help='Primary metric, e.g. latency.p50 or "median latency"; repeatable.',
        autocompletion=complete_metric,
    ),
]
OnlyVariant = Annotated[
    list[str] | None, _name_variants("--variant", "Only this variant; repeatable.")
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMN[=VALUE]",
        help="One table per value of this column; with =VALUE, only that table.",
    ),
]
Benchmark = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark",
        metavar="GLOB",
        help="Only benchmarks of this name, e.g. '*Ping'; repeatable.",
        callback=selected.compose,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="COLUMN=VALUE", help="Only rows with this value; repeatable."),
]
Confidence = Annotated[
    str | None,
    typer.Option("--confidence", help="Confidence level of each interval. [default: 0.95]"),
]
Margin = Annotated[
    str | None, typer.Option("--margin", help="Smallest change that matters. [default: 3%]")
]
Knee = Annotated[
    str | None,
    typer.Option(
        "--knee",
        metavar="RULE",
        help="How to pick the best level of a sweep: share:0.9, power, usl or "
        "sla:latency.p99<50ms. [default: share:0.9]",
    ),
]
Blocks = Annotated[
    str | None,
    typer.Option(
        "--blocks",
        metavar="auto|never",
        help="auto: if the runs were made in complete rounds (blocks), compare within each round. "
        f"[default: {config.DEFAULT_BLOCKS}]",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="auto|rank|welch|history",
        help="Preferred method: ranks or Welch's t-test (both need 2 or more runs per side), or "
        f"a prediction from a side with 8 or more runs. [default: {config.DEFAULT_METHOD}, which "
        "chooses by the number of runs]",
    ),
]
Rename = Annotated[
    list[str] | None,
    typer.Option("--rename", metavar="s#A#B#", help="Rewrite benchmark names; repeatable."),
]
Split = Annotated[
    str | None,
    typer.Option(
        "--split", metavar="PATTERN", help="Take variants from benchmark names: (?P<variant>…)."
    ),
]
Map = Annotated[
    Path | None,
    typer.Option(
        "--map", metavar="FILE", help="Map of a table of unknown format; see `benchkit map`."
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="GLOB", help="Skip files that match; repeatable."),
]
As = Annotated[
    str | None, typer.Option("--as", metavar="FORMAT", help="Read every file as this format.")
]
MaxUnpacked = Annotated[
    str | None,
    typer.Option(
        "--max-unpacked",
        metavar="SIZE",
        help="Largest unpacked size of a file or archive, e.g. 8GiB. [default: 4GiB]",
    ),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write the result to this file.")
]
#: Maximum number of problems with sources that a comparison names; `ingest` names more.
_SHOWN = 5

#: For commands that act and report it in one line.
DoneFormat = Annotated[str, typer.Option("--format", help="text or json.")]
DONE_FORMATS = ("text", "json")
#: For commands that write a table, and for those that also write CSV.
TableFormat = Annotated[
    str | None, typer.Option(help="table, md or json. [default: from -o, else table]")
]
TABLE_FORMATS = ("table", "md", "json")
RowFormat = Annotated[
    str | None, typer.Option(help="table, md, csv or json. [default: from -o, else table]")
]
ROW_FORMATS = ("table", "md", "csv", "json")
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """The comparison requested on the command line; the settings replace each None."""

    baseline: Baseline = None
    variant: Variant = None
    pair: Pair = None
    metric: Metric = None
    confidence: Confidence = None
    margin: Margin = None
    blocks: Blocks = None
    method: Method = None
    knee: Knee = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The selection of results on the command line."""

    paths: Paths = None
    by: By = None
    store: StoreOption = None
    origin: Origin = None
    layout: Layout = None
    benchmark: Benchmark = None
    rename: Rename = None
    split: Split = None
    map: Map = None
    as_format: As = None
    exclude: Exclude = None
    max_unpacked: MaxUnpacked = None
    quiet: Quiet = False

    def options(self, settings: config.Settings) -> Options:
        """Return the options for ingestion; the command line overrides the settings."""
        from benchkit.config import maps
        from benchkit.ingestion.discovery import Options
        from benchkit.reading.bounds import parse_limit

        if settings.unread and not self.quiet:
            remark = f"using {settings.source}; ignoring {settings.unread} next to it"
            print_line(f"note: {remark}", err=True)
        return Options(
            layout=settings.layout if self.layout is None else self.layout,
            rename=tuple(self.rename or ()), configured_rename=settings.rename,
            split=config.parse_split(self.split) or settings.split,
            exclude=(*(self.exclude or ()), *settings.exclude),
            as_format=self.as_format,
            labels=settings.labels,
            maps=maps.load_maps(self.map) if self.map else settings.maps,
            max_unpacked=parse_limit(self.max_unpacked) if self.max_unpacked else None,
        )  # fmt: skip

    def load(self, *, base: config.Settings | None = None, light: bool = False) -> RunSet:
        """Load the results, and report on stderr what could not be read."""
        with self.results(base=base, light=light) as runset:
            return runset

    @contextmanager
    def results(
        self, *, samples: bool = False, base: config.Settings | None = None, light: bool = False
    ) -> Iterator[RunSet]:
        """Load the results; problems are reported below the answer, or above its error."""
        from benchkit import api

        options, origins = self.options(base or settings()), self.origin or ()
        paths = self.paths or ()
        runset = api.read(paths, options, self.store, samples=samples, origins=origins, light=light)
        try:
            yield self._keep_named(runset)
        finally:
            self.show(runset.diagnostics)

    def show(self, problems: Sequence[Diagnostic]) -> None:
        """Report what could not be read; only errors if just results and errors are requested."""
        hidden = {"note", "warning"} if self.quiet else {"note"}
        show_problems([each for each in problems if each.severity not in hidden], limit=_SHOWN)

    def narrow(self, runset: RunSet) -> RunSet:
        """Report what could not be read, and keep what ``--benchmark`` and ``--by`` select."""
        self.show(runset.diagnostics)
        return self._keep_named(runset)

    def _keep_named(self, runset: RunSet) -> RunSet:
        """Keep what ``--benchmark`` and ``--by`` select."""
        if self.benchmark:
            names = runset.runs[runset.runs["role"] != "companion"]["benchmark"].unique().tolist()
            runset = runset.where(benchmark=match_names(self.benchmark, names, "benchmark"))
        for column, value in selected.list_values(self.by).items():
            runset = runset.where(**{column: value})
        if self.split_by:
            runset.require_label(self.split_by)
        return runset

    def stream(
        self,
        metrics: Sequence[str],
        variants: Sequence[str] | None = None,
        roles: Sequence[str] = (),
    ) -> Iterator[Observations]:
        """Yield the observations in frames of limited size, filtered by the labels of ``--by``."""
        from benchkit.ingestion import loading
        from benchkit.selection import keep

        seen: dict[str, None] = {}
        labels = selected.list_values(self.by)
        options = self.options(settings())
        named = [*(variants or ()), *(value for name, value in labels.items() if name == "variant")]
        frames = loading.stream(
            self.paths or (), options, self.store, metrics, self.origin or (), named,
            roles=roles, show=self.show,
        )  # fmt: skip
        for frame in frames:
            for column, value in labels.items():
                frame = keep(frame, **{column: value})  # noqa: PLW2901 - narrowed step by step
            seen |= dict.fromkeys(frame["benchmark"].unique().tolist())
            yield keep(frame, benchmark=self.benchmark and match_any(self.benchmark, seen))
        match_names(self.benchmark or (), seen, "benchmark")

    @property
    def split_by(self) -> str:
        """The column that divides the tables; empty if none was named."""
        return selected.find_split(self.by)


def settings(file: Path | None = None) -> config.Settings:
    """Return the settings of the working directory, or of a named file."""
    return config.load(Path.cwd(), file)


def refuse_both(pair: object, baseline: object, variant: object) -> None:
    """Refuse ``--pair`` together with an option that names one side."""
    if pair and (baseline or variant):
        raise ConfigError(
            "--pair already names both sides", where="--pair", hint="omit --baseline and --variant"
        )


def fraction(text: str | None, default: float, where: str) -> float:
    """Parse a fraction from the command line."""
    return default if text is None else config.parse_fraction(text, where=where)


def choose(value: str, known: Sequence[str], option: str = "--format") -> str:
    """Return ``value`` if it is one of ``known``; ``markdown`` means ``md``."""
    value = "md" if value == "markdown" and "md" in known else value
    if value not in known:
        raise ConfigError(f"unknown value {value!r}", where=option, hint=f"use {', '.join(known)}")
    return value


def choose_format(format: str | None, output: Path | None, known: Sequence[str]) -> str:
    """Return the named format, else that of the file's extension, else the first one."""
    default, *others = known
    endings = {f".{each}": each for each in others}
    return choose(format or guess_format(output, endings, default), known)


#: Extensions of the same format.
_WRITTEN = frozenset((".csv", ".html", ".json", ".parquet", ".png", ".svg"))


def guess_format(
    output: Path | None, known: Mapping[str, str], default: str, *, strict: bool = False
) -> str:
    """Return the format of a file's extension; refuse unknown ones and those of other commands."""
    ending = output.suffix.lower() if output else ""
    if output is None or ending in known or not (strict or ending in _WRITTEN):
        return known.get(ending, default)
    *others, last = known
    endings = " or ".join(filter(None, (", ".join(others), last)))
    raise ConfigError(
        f"unknown file extension {ending!r}" if ending else "the file name has no extension",
        where=f"-o {printable(str(output))}",
        hint=f"end it with {endings}, or name the format with --format",
    )
