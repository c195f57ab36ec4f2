"""The reasons why results have only one variant, and the command that makes two sides of them.

A split of names or headings is tried before it is suggested: it must give two sides with a
benchmark in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os.path import commonpath
from pathlib import Path, PurePath
from shlex import join
from typing import TYPE_CHECKING, Protocol

from benchkit.api.sides import list_unmeasured
from benchkit.comparison import compare
from benchkit.derived.record import leave_out_excerpts
from benchkit.errors import BaselineError, BenchkitError, DataError, Finding, SourceReport
from benchkit.ingestion.harvest import NAME_FILES
from benchkit.ingestion.layout import list_splits
from benchkit.ingestion.origins import refuse_contested
from benchkit.labels.splitting import NameSplit
from benchkit.labels.walk import OF_FILE
from benchkit.listing import list_first
from benchkit.parsers import registry
from benchkit.parsers.refusal import AGAIN
from benchkit.selection import choose_baseline

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs
    from benchkit.selection import Label

#: Maximum number of files and headings that an error names; the others are counted.
_LISTED = 3
#: The remedy if no format reads a command's output; runs of a series are not repeated.
_PRINT = (
    "let the command print one run's results in a format that `benchkit formats` lists, and "
    "measure in an empty folder: use --out"
)
_REPEAT = "delete this file and its sidecar, then run the command again, which repeats the run"


class _Results(Protocol):
    """The part of a `RunSet` that a suggestion needs."""

    @property
    def observations(self) -> Observations: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def problems(self) -> Sequence[Finding]: ...
    @property
    def reports(self) -> Sequence[SourceReport]: ...
    @property
    def contested(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def variants(self) -> list[str]: ...
    @property
    def again(self) -> Again | None: ...
    def where(self, **labels: Label | Sequence[Label]) -> _Results: ...
    def choose_pairs(self, baseline: str | None = None) -> tuple[tuple[str, str], ...]: ...


#: Loads results again with their names split; splits of these are not tried.
Again = Callable[[NameSplit], _Results]


def try_splits(
    splits: Iterable[NameSplit], again: Again, baseline: str | None = None
) -> Iterator[tuple[NameSplit, tuple[str, ...]]]:
    """Yield the splits that give sides to compare, each with the options to type."""
    for split in splits:
        base = baseline if baseline in split.variants else _name_baseline(split.variants)
        try:
            results = again(split)
            pairs = results.choose_pairs(base)
            compare(leave_out_excerpts(results.observations), results.runs, pairs)
        except BenchkitError:
            continue
        yield split, (*split.options, *(() if base in {None, baseline} else ("--baseline", base)))


def _name_baseline(variants: Sequence[str]) -> str | None:
    """Return the baseline that a command has to name, None if it can be inferred."""
    try:
        choose_baseline(variants)
    except BaselineError as error:
        return error.candidate
    return None


def explain_no_variant(results: _Results) -> DataError:
    """Explain why no run is measured."""
    runs = results.runs
    where = _list_command(runs, results.reports)
    if set(runs["role"]) != {"failed"}:
        return DataError("no measured runs", hint=f"list what was read with `{where}`")
    tools = " and ".join(sorted(set(runs["tool"])))
    return DataError(f"every run of {tools} failed", hint=f"list them with `{where}`")


def explain_single_variant(results: _Results, baseline: str | None = None) -> DataError:
    """Explain why there is only one variant, and how to get two sides with this baseline."""
    refuse_contested(results.contested)
    runs, reports, (only,) = results.runs, results.reports, results.variants
    copies = [finding for finding in results.problems if finding.code == "B103"]
    also = f" ({copies[0].where}: {copies[0].message})" if copies else ""
    others = runs[runs["role"].isin(["failed", "warmup"])]
    lost = sorted(set(others["variant"]) - {only})
    if lost:
        return DataError(
            f"nothing to compare: {', '.join(lost)} has no measured runs, only failed runs or "
            f"warm-ups{also}",
            hint=f"list them with `{_list_command(others[others['variant'].isin(lost)], reports)}`",
        )
    for report in reports:
        if report.outcome == "duplicate" and report.variant not in {"", only}:
            what = f"nothing to compare: {report.label} as {report.variant!r}: {report.reason}"
            return DataError(what, hint=NAME_FILES)
    unread = list_unmeasured([only], runs, reports)
    if unread:
        return DataError(
            f"nothing to compare: no measured run of {', '.join(unread)} could be read",
            hint="fix the refused files or measure again",
        )
    aside = set(_list_paths(runs[runs["role"] == "warmup"]))
    files = [r.label for r in reports if r.outcome == "read" and r.label not in aside]
    seen = f"nothing to compare: {only!r} is the only variant{also}"
    if split := _suggest_split(results, files, baseline):
        hint, options = split
        return DataError(seen, hint=hint, options=options)
    return _suggest_files(seen, only, runs, files, _list_refused_sides(files, reports))


def _list_refused_sides(files: Sequence[str], reports: Sequence[SourceReport]) -> list[str]:
    """Name refused files with similar names next to results: they may be the other side."""
    places = {(path.parent, path.suffix) for path in map(PurePath, files)}
    refused = [PurePath(each.label) for each in reports if each.outcome == "refused"]
    return [f"{path}" for path in refused if (path.parent, path.suffix) in places][:_LISTED]


def _list_paths(runs: Runs) -> list[str]:
    return [source["path"] for sources in runs["sources"] for source in sources]


def _list_command(runs: Runs, reports: Sequence[SourceReport]) -> str:
    """Return the command that lists some runs: those of a store, or of their files."""
    if not reports:
        return "benchkit runs"
    try:
        place = commonpath(_list_paths(runs))
    except ValueError:  # no paths, or absolute and relative ones
        place = ""
    return join(["benchkit", "runs", place if place and Path(place).exists() else "PATH"])


def _suggest_split(
    results: _Results, files: Sequence[str], baseline: str | None
) -> tuple[str, tuple[str, ...]] | None:
    """Return a hint, and the options that make two sides of the results."""
    paths = set(files or _list_paths(results.runs))
    splits = list_splits(results.runs, is_page=len(paths) == 1)
    if files:
        chosen = results.again and next(try_splits(splits, results.again, baseline), None)
        return (_describe(chosen[0]), chosen[1]) if chosen else None
    split = next((each for each in splits if each.place != "commands"), None)
    if split is None:
        return None
    (place,) = paths if split.place == "headings" else ("PATH",)
    again = join(["benchkit", "ingest", place, *split.options, "--store", "NEW"])
    return f"{_describe(split)}; ingest them again: {again}", ()


def _describe(split: NameSplit) -> str:
    """Say where the names of the variants appear."""
    if split.place == "names":
        return f"the benchmark names contain the variants {', '.join(split.variants)}"
    if split.place == "commands":
        return "make each of its timed commands a variant"
    return f"its headings are {list_first(split.variants, _LISTED)}"


def _suggest_files(
    seen: str, only: str, runs: Runs, files: Sequence[str], refused: Sequence[str]
) -> DataError:
    """Say which files were read, and how to add the other side."""
    if not files:
        return DataError(seen, hint="add the other side, for example: benchkit ingest other=PATH")
    if len(files) == 2 and _share_benchmark(runs):
        sides = join([f"before={files[0]}", f"after={files[1]}"])
        return DataError(seen, hint=f"name the two sides: benchkit compare {sides}")
    shown = ", ".join(files[:_LISTED]) + (f", … {files[-1]}" if len(files) > _LISTED else "")
    seen += f"; {len(files)} files are its runs: {shown}" if len(files) > 1 else ""
    hint = "add the other side as label=path, or put each variant in a folder of its own"
    kept = [registry.tool(tool).keeps_runs for tool in runs["tool"].unique()]
    hint = "; or ".join(filter(None, (*kept, hint)))
    if refused:
        seen += f", and no known format fits {', '.join(refused)}"
        hint = "if these files are results, name their format with --as FORMAT, or measure again"
    options = () if refused else ("other=PATH", "--baseline", only)
    return DataError(seen, hint=hint, options=options)


def _share_benchmark(runs: Runs) -> bool:
    """Return whether two files measured the same benchmark, so they may be two sides."""
    measured = runs[runs["role"] == "measured"]
    places = [{source["path"] for source in sources} for sources in measured["sources"]]
    files: dict[tuple[str, ...], set[str]] = {}
    keys = measured[["group", "benchmark", "params", "tool"]].itertuples(index=False, name=None)
    for key, paths in zip(keys, places, strict=True):
        files.setdefault(key, set()).update(paths)
    return any(len(paths) > 1 for paths in files.values())


@contextmanager
def advising_on_command() -> Iterator[None]:
    """Advise on the command, not on its files, if no format reads its output."""
    try:
        yield
    except DataError as error:
        if "--as" not in error.hint and error.hint != AGAIN:
            raise
        raise DataError(error.what, where=error.where, hint=_PRINT) from error


def require_read(results: _Results, variants: Iterable[str]) -> None:
    """Refuse results of a series if no format reads the output of a run."""
    series, measured = {*variants}, {*results.variants}
    for report in results.reports:
        if report.outcome != "refused" or report.variant not in series:
            continue
        is_lost, path = report.variant not in measured, Path(report.label)
        is_run = path.is_file() and Path(f"{path}{OF_FILE}").is_file()
        if is_lost or is_run:
            what = f"no results of {report.variant!r} were read: {report.reason}"
            raise DataError(what, where=report.label, hint=_PRINT if is_lost else _REPEAT)
