"""Loading of results: raw files in memory, or a store; as a whole, or frame by frame.

The command line and the notebook use the same functions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchkit.codes import code
from benchkit.derived import derive
from benchkit.derived.sources import SERIES
from benchkit.errors import ConfigError, DataError, Diagnostic, Finding, SourceReport
from benchkit.ingestion.addresses import is_page
from benchkit.ingestion.companions import place_companions
from benchkit.ingestion.copies import find_remembered, leave_out, settle_originals
from benchkit.ingestion.discovery import Discovery, Options, discover
from benchkit.ingestion.frames import (
    drop_unsound,
    make_light,
    stream_observations,
)
from benchkit.ingestion.frames import observations as make_observations
from benchkit.ingestion.frames import runs as make_runs
from benchkit.ingestion.gone import find_gone, list_stale
from benchkit.ingestion.harvest import gather
from benchkit.ingestion.origins import (
    choose,
    find_elsewhere,
    find_retried,
    leave_out_history,
    list_copied,
    name_job,
    refuse_contested,
)
from benchkit.ingestion.outcomes import refuse_all, report_refused
from benchkit.ingestion.parts import Part
from benchkit.ingestion.pieces import single_out_shared
from benchkit.ingestion.pooled import (
    find_mixed_commits,
    find_pooled,
    find_split_blocks,
    find_twice,
)
from benchkit.ingestion.roles import has_derived, name_load, name_role, require_roles
from benchkit.ingestion.rows import parts_table, select_sharded
from benchkit.ingestion.sharded import join_values, report_incomplete, set_aside_incomplete
from benchkit.ingestion.stored import (
    lack_runs,
    list_apart,
    list_row_layers,
    read_rows,
    read_stored,
)
from benchkit.labels.numbering import part_packages
from benchkit.labels.sections import share_headings
from benchkit.light import hold_pandas
from benchkit.schema import observations as make_table
from benchkit.schema import runs as make_run_table
from benchkit.store import values_schema

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.schema import Observations, Runs
    from benchkit.store import Store

#: Receives the problems met while reading.
Show = Callable[[Sequence[Diagnostic]], None]
#: Maximum size in bytes of sources that are held in memory.
_SMALL = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Loaded results; the fields are those of `benchkit.RunSet`.

    ``derived`` is the number of derived rows, which come last; ``series`` are the samples over time
    from which some of them are derived. ``contested`` maps each variant that was left out because
    several origins hold it to these origins. ``stale`` maps each variant that the last ingest of
    its folder, or this CI job, did not measure to the reason why no gate judges it.
    """

    observations: Observations
    runs: Runs
    derived: int = 0
    series: Observations | None = None
    contested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stale: Mapping[str, DataError] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reports: tuple[SourceReport, ...] = ()
    first_variant: str | None = None


def load(
    arguments: Sequence[str],
    options: Options,
    store: str | None,
    *,
    samples: bool,
    origins: Sequence[str] = (),
    light: bool = False,
) -> Loaded:
    """Load raw files and folders, or a store if none or only the store itself is named.

    ``origins`` are those of `origins.choose`: each side of a store uses one. A few results from
    files may be in `benchkit.light` frames.
    """
    place = _store_of(arguments, store, origins)
    if place is not None:
        return _load_store(place, origins, samples=samples)
    if len(arguments) > 1 and len(set(map(os.path.normpath, arguments))) == 1:
        raise DataError(
            "both sides have the same path",
            where=arguments[0],
            hint="give the path of the other side's results",
        )
    return load_found(discover(arguments, options), options, samples=samples, light=light)


def load_history(store: str | None) -> Loaded:
    """Load all runs of a store; runs of several origins get separate numbers.

    Its findings are those of `find_mixed_commits`; an empty store is a `DataError`.
    """
    from benchkit.store import Store, choose_place

    place = Store(choose_place(store))
    rows = read_rows(place)
    values, loaded, last = place.values(), list[Loaded](), 0
    for rows_of_layer in list_row_layers(rows):
        layer = _load_rows(place, rows_of_layer, values)
        for frame in (layer.observations, layer.runs) if last else ():
            frame["run"] = (frame["run"] + last).astype("int32")
        last = int(layer.runs["run"].to_numpy().max(initial=last))
        loaded.append(layer)
    found = loaded[0] if len(loaded) == 1 else _join(loaded)
    return replace(found, findings=tuple(find_mixed_commits(list_apart(rows))))


def list_runs(arguments: Sequence[str], store: str | None) -> Loaded | None:
    """Load the runs of a store, of all origins, without values; return None for raw files."""
    place = _store_of(arguments, store)
    if place is None:
        return None
    rows = read_rows(place)
    nothing = make_observations(rows.slice(0, 0), values_schema().empty_table())
    return Loaded(observations=nothing, runs=make_runs(rows))


def list_runs_of(commit: str, store: Store) -> Runs | None:
    """Return a commit's runs in a store, without values; None if it has none."""
    rows = read_rows(store, commit)
    return make_runs(rows) if len(rows) else None


def stream(
    arguments: Sequence[str],
    options: Options,
    store: str | None,
    metrics: Sequence[str] = (),
    origins: Sequence[str] = (),
    variants: Sequence[str] = (),
    *,
    roles: Sequence[str] = (),
    show: Show = lambda _: None,
) -> Iterator[Observations]:
    """Yield the observations, including raw samples, in frames of bounded size.

    Large input is read through a temporary store.

    Parameters
    ----------
    arguments, options, store, origins
        As in `load`.
    metrics : sequence of str
        Only these; all if empty.
    variants : sequence of str
        The variants to read, all if empty; any others may be from several origins.
    roles : sequence of str
        The roles of the runs; measured runs and companions if empty.
    show : callable
        Receives the problems met while reading, before the first frame.

    Raises
    ------
    DataError
        If there is nothing to load.
    """
    place = _store_of(arguments, store, origins)
    if place is not None:
        yield from _stream_store(place, metrics, origins, variants, roles=roles, show=show)
        return
    discovery = discover(arguments, options)
    is_piped = any(found.path is None for found in discovery.found)
    if is_piped or sum(found.size for found in discovery.found) <= _SMALL:
        loaded = load_found(discovery, options, samples=True, roles=roles)
        show(loaded.diagnostics)
        require_roles(loaded.runs["role"], roles)
        frame = name_load(loaded.observations, loaded.runs)
        yield frame[frame["metric"].isin(metrics)] if metrics else frame
    else:
        from benchkit.ingestion.commit import ingest
        from benchkit.store import Store

        with TemporaryDirectory(prefix="benchkit-") as folder:
            passing = Store(folder)
            show(ingest(arguments, passing, options, jobs=None).diagnostics)
            yield from _stream_store(passing, metrics, roles=roles)


def _stream_store(
    store: Store,
    metrics: Sequence[str],
    origins: Sequence[str] = (),
    variants: Sequence[str] = (),
    *,
    roles: Sequence[str] = (),
    show: Show = lambda _: None,
) -> Iterator[Observations]:
    """Yield stored values, then the values derived from them."""
    choice = choose(_read_stored(store)[0], origins, name_job())
    contested = {v: of for v, of in choice.contested.items() if not variants or v in variants}
    refuse_contested(contested)
    rows = parts_table(choice.parts)
    loaded = _load_rows(store, rows, store.values())
    show(loaded.diagnostics)
    require_roles([part.role for part in choice.parts], roles)
    for frame in stream_observations(store, rows, metrics, roles):
        yield name_load(frame, loaded.runs)
    derived = loaded.observations.tail(loaded.derived if has_derived(roles) else 0)
    if metrics:
        derived = derived[derived["metric"].isin(metrics)]
    if len(derived):
        yield name_load(make_table(name_role(derived, roles)), loaded.runs)


def _store_of(
    arguments: Sequence[str], store: str | None, origins: Sequence[str] = ()
) -> Store | None:
    """Return the store that the arguments name, or None for raw files, which have no origins."""
    if arguments and store is not None:
        hint = "omit one of them; `benchkit ingest --store DIR PATH` adds files to a store"
        raise ConfigError("cannot be read together with PATH", where="--store", hint=hint)
    if not arguments or (len(arguments) == 1 and not is_page(arguments[0])):
        from benchkit.store import Store, choose_place

        place = Store(arguments[0] if arguments else choose_place(store))
        if not arguments or place.is_store():
            return place
    if origins:
        hint = "omit it, or run `benchkit ingest --origin O PATH` first and omit PATH here"
        raise ConfigError("needs a store, but you gave raw files", where="--origin", hint=hint)
    return None


def _load_store(store: Store, origins: Sequence[str], *, samples: bool) -> Loaded:
    job = name_job()
    stored, refused = _read_stored(store)
    choice = choose(leave_out_history(stored), origins, job)
    loaded = _load_rows(store, parts_table(choice.parts), store.values(raw=samples))
    stale: dict[str, DataError] = {**list_stale(choice.parts), **choice.stale}
    stale |= {} if origins else list_copied(choice, refused, job)
    elsewhere = () if origins else find_elsewhere(choice, job)
    chosen = {part.origin for part in choice.parts}
    reports = tuple(report_refused(part) for part in refused if part.origin in chosen)
    copies = [report for report in reports if report.outcome == "duplicate"]
    remembered = (find_remembered(report.label, report.reason) for report in copies)
    problems = (*_find_problems(choice.parts), *find_retried(choice.retried))
    findings = (*loaded.findings, *problems, *elsewhere, *remembered)
    return replace(
        loaded, contested=choice.contested, stale=stale, findings=findings, reports=reports
    )


def _load_rows(store: Store, rows: pa.Table, values: pa.Table) -> Loaded:
    """Make the frames of some runs of a store."""
    sound, problems = drop_unsound(rows, values)
    series, more = drop_unsound(rows, _read_series(store, rows))
    joined, size, findings = join_values(
        select_sharded(rows), sound, lambda pieces: store.stream(raw=True, pieces=pieces)
    )
    complete = _complete(rows, joined, series)
    return replace(
        complete,
        derived=complete.derived + size,
        findings=(*findings, *complete.findings),
        diagnostics=(*problems, *more),
    )


def _read_stored(store: Store) -> tuple[list[Part], list[Part]]:
    parts, refused = read_stored(store)
    if not parts:
        raise lack_runs(store)
    return parts, refused


def _join(loaded: Sequence[Loaded]) -> Loaded:
    """Join loaded results whose runs have distinct numbers."""
    import pandas as pd

    return Loaded(
        observations=make_table(pd.concat([one.observations for one in loaded])),
        runs=make_run_table(pd.concat([one.runs for one in loaded])),
        diagnostics=tuple(problem for one in loaded for problem in one.diagnostics),
    )


def _read_series(store: Store, rows: pa.Table) -> pa.Table:
    """Read only the samples over time of companions."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = rows.filter(pa.array(code(rows["role"]) == "companion"))
    keys = (rows[name].to_pylist() for name in ("batch", "piece"))
    companions = list(zip(*keys, strict=True))
    if not companions:
        return values_schema().empty_table()
    found = store.values(raw=True, metrics=SERIES, pieces=companions)
    series: pa.Table = found.filter(pc.field("raw"))
    return series


def _complete(
    rows: pa.Table, values: pa.Table, series: pa.Table, roles: Sequence[str] = ()
) -> Loaded:
    """Make the frames, with values derived from a run at the end."""
    import pandas as pd

    measured, runs = make_observations(rows, values), make_runs(rows)
    companions = make_observations(rows, series)
    observations, findings = derive(measured, runs, companions)
    derived = len(observations) - len(measured)
    if roles:
        derived = derived if has_derived(roles) else 0
        follows = name_role(observations.tail(derived), roles)
        requested = [make_observations(rows, values, roles), follows]
        observations = make_table(pd.concat(requested, ignore_index=True))
    return Loaded(
        observations=observations,
        runs=runs,
        series=companions,
        findings=findings,
        derived=derived,
    )


def _find_problems(parts: Sequence[Part]) -> Iterator[Finding]:
    """Yield the problems of parts that are compared; a history has separate findings."""
    yield from find_split_blocks(parts)
    yield from find_gone(parts, parts)
    yield from find_pooled(parts)
    yield from find_twice(parts)
    yield from report_incomplete(parts)


def load_found(
    discovery: Discovery,
    options: Options,
    *,
    samples: bool,
    roles: Sequence[str] = (),
    light: bool = False,
) -> Loaded:
    """Load the discovered sources."""
    if light:
        hold_pandas()
    harvest, values, series, of_shards = gather(discovery.found, options, samples=samples)
    harvest.complete(discovery, options)
    parts = single_out_shared(harvest.parts)
    notes, copies = settle_originals(parts)
    harvest.leave_out(copies)
    parts = leave_out(parts, copies)
    problems = [*discovery.diagnostics, *harvest.diagnostics, *notes]
    part_packages(parts)
    share_headings(parts)
    place_companions(parts)
    set_aside_incomplete(parts)
    if all(part.role == "damaged" and not part.format for part in parts):
        raise refuse_all(problems)
    first = parts[0].variant if discovery.is_ordered else None
    joined, _, findings = join_values(parts, values, lambda _: of_shards)
    rows = parts_table(parts)
    if light and (frames := make_light(rows, joined, series)):
        complete = Loaded(observations=frames[0], runs=frames[1])
    else:
        complete = _complete(rows, joined, series, roles)
    return replace(
        complete,
        findings=(*harvest.findings, *findings, *complete.findings, *_find_problems(parts)),
        diagnostics=tuple(problems),
        reports=tuple(harvest.reports),
        first_variant=first,
    )
