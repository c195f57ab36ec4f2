"""Build commits, run the benchmark in their work trees, and read the results.

The outputs are in one folder with their sidecars, as `capture` writes them, so an interrupted
search reads them again and continues, and `benchkit compare` can read them, too.

Build commits in their work trees, and make two of them the sides of a series.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryFile

from benchkit.api import RunSet, load
from benchkit.api.suggestions import advising_on_command
from benchkit.bisect.repository import Commit, Repository
from benchkit.bisect.search import Row, Values
from benchkit.capture.execution import LONGER, execute
from benchkit.capture.places import Places
from benchkit.capture.plan import Commands, Plan
from benchkit.capture.resume import require_plan
from benchkit.capture.session import carry_out
from benchkit.config.files import read_file
from benchkit.errors import DataError
from benchkit.listing import list_first
from benchkit.redaction import show_opening
from benchkit.schema import RUN_KEY

#: The commits that cannot be built or run, one per line; no result has this name.
_UNUSABLE = "unusable.cfg"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a commit is built and measured: shell scripts, and the selected results.

    Each script has a time limit in seconds; 0 means none.
    """

    bench: str
    build: str = ""
    metrics: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def commands(self) -> Commands:
        """The commands of a run."""
        return Commands(command=call(self.bench), build=self.build)


class Trials:
    """The runs of a search; a `benchkit.bisect.search.Bench`.

    Parameters
    ----------
    commits : sequence of Commit
        The history, the good end first.
    out : Path
        The folder of the outputs; existing ones are read.
    announce : callable
        Called with a line for every step, and for every failed build.

    Raises
    ------
    ConfigError
        If the folder contains runs of these commits by other scripts.
    """

    def __init__(
        self,
        repository: Repository,
        commits: Sequence[Commit],
        recipe: Recipe,
        out: Path,
        announce: Callable[[str], object],
    ) -> None:
        self._repository, self._commits, self._recipe = repository, commits, recipe
        self._out, self._announce = out, announce
        variants = {commit.short: recipe.commands for commit in commits}
        require_plan(Places(out).sidecars, variants, out)
        self.unusable = self._read_unusable()
        self._built: dict[int, bool] = {}
        self._rows: tuple[Row, ...] = ()
        self._measuring = ""

    def _read_unusable(self) -> set[int]:
        """Return the commits that an earlier search could not build or run, and list them."""
        path = self._out / _UNUSABLE
        text = read_file(path) if path.is_file() else ""
        places = {commit.sha: place for place, commit in enumerate(self._commits)}
        unusable = {places[sha] for sha in text.split() if sha in places}
        if unusable:
            names = ", ".join(self._commits[place].short for place in sorted(unusable))
            self._announce(f"left out as before: {names}; delete {path} to try again")
        return unusable

    def leave_out(self, place: int, problem: str) -> None:
        """Say why a commit cannot be used."""
        self._announce(f"{self._commits[place].short} is left out: {problem}")

    def _discard(self, place: int, problem: str) -> None:
        """Report and record, for a continued search, that a commit cannot be built or run."""
        self.leave_out(place, problem)
        with (self._out / _UNUSABLE).open("a", encoding="utf-8") as file:
            file.write(f"{self._commits[place].sha}\n")

    def measure(self, commits: Sequence[int], rounds: int) -> bool:
        """Measure commits alternately; return False if one between the ends fails."""
        for place in commits:
            if not self._is_built(place):
                return False
        if rounds <= 0:
            return True
        variants = {
            self._commits[place].short: replace(
                self._recipe.commands, folder=self._repository.check_out(self._commits[place])
            )
            for place in commits
        }
        if (names := ", ".join(variants)) != self._measuring:
            self._measuring = names
            self._announce(f"measuring {names}")
        plan = Plan(variants=variants, rounds=rounds, timeout=self._recipe.seconds)
        session = carry_out(plan, self._out)
        if session.is_interrupted:
            raise KeyboardInterrupt
        if session.problem:
            failed = session.runs[-1].record.variant if session.runs else ""
            between = {self._commits[place].short: place for place in commits[1:-1]}
            if failed not in between:
                raise DataError(
                    session.problem, hint="try the command in a checkout of that commit"
                )
            self._discard(between[failed], session.problem)
            return False
        return True

    def _is_built(self, place: int) -> bool:
        """Build a commit once; an end that cannot be built is an error."""
        if place not in self._built:
            commit = self._commits[place]
            recipe = self._recipe
            problem = build(self._repository.check_out(commit), recipe.build, recipe.seconds)
            if problem and place in (0, len(self._commits) - 1):
                hint = "choose two ends that both build"
                raise DataError(problem, where=commit.short, hint=hint)
            if problem:
                self._discard(place, problem)
            self._built[place] = not problem
        return self._built[place]

    def rows(self) -> Mapping[Row, Values]:
        """Return the measurements of the rows that both ends have."""
        if not self._out.is_dir() or not any(self._out.iterdir()):
            return {}
        with advising_on_command():
            results = load(self._out)
        good, bad = self._commits[0].short, self._commits[-1].short
        if not {good, bad} <= {*results.runs["variant"]}:  # it has runs of another range
            return {}
        if not self._rows:
            self._name_unused(results)
            self._rows = self._choose(results)
        measured = results.runs[results.runs["role"] == "measured"]
        runs = measured[[*RUN_KEY, "block"]].dropna()
        if runs.empty:
            what = "the rounds of its runs are unknown: an output or a sidecar is missing"
            raise DataError(what, where=str(self._out), hint="use an empty folder with --out")
        places = {commit.short: place for place, commit in enumerate(self._commits)}
        table = results.observations.merge(runs, on=list(RUN_KEY))
        table = table.fillna({"subject": ""})
        table = table.assign(commit=table["variant"].astype(object).map(places))
        table = table[table["commit"].notna() & (table["value"] > 0)]
        ends = (table.loc[table["commit"] == end, "block"] for end in (0, len(places) - 1))
        for blocks in [*ends]:  # rounds of another range cannot be compared with these
            table = table[table["block"].isin(blocks)]
        keys = [*Row._fields, "block", "commit"]
        middles = table.groupby(keys, observed=True)["value"].median().reset_index()
        rows = middles.groupby(list(Row._fields), observed=True)
        return {
            row: Values(
                part["block"].astype(int).tolist(),
                part["commit"].astype(int).tolist(),
                part["value"].tolist(),
            )
            for key, part in rows
            if (row := Row(*map(str, key))) in self._rows
        }

    def _name_unused(self, results: RunSet) -> None:
        """Name the files in the folder that the search does not use."""
        runs = results.runs[results.runs["role"] == "measured"]
        commits = [commit.short for commit in self._commits]
        unused = runs.loc[~runs["variant"].isin(commits) | runs["block"].isna(), "sources"]
        files = [source["path"] for sources in unused for source in sources]
        files += [report.label for report in results.reports if report.outcome == "refused"]
        if files:
            self._announce(f"not part of this search: {list_first(sorted(files), 3)}")

    def _choose(self, results: RunSet) -> tuple[Row, ...]:
        """Return the primary or requested rows that are positive on both ends."""
        good, bad = self._commits[0].short, self._commits[-1].short
        frame = results.compare(baseline=good, variant=bad, metrics=self._recipe.metrics).frame
        lowest = frame[["center_baseline", "center_variant"]].min(axis=1)
        chosen = frame[frame["primary"] & (lowest > 0)]
        labels = chosen[list(Row._fields)].astype(str).to_numpy().tolist()
        rows = tuple(row for row in (Row(*each) for each in labels) if self._is_requested(row))
        if not rows:
            hint = "choose a metric or benchmark with --metric or --benchmark; see `benchkit runs`"
            ends = f"both {good} and {bad}"
            problem = f"no primary metric of the selected benchmarks has values above 0 at {ends}"
            raise DataError(problem, hint=hint)
        return rows

    def _is_requested(self, row: Row) -> bool:
        patterns = self._recipe.benchmarks
        return not patterns or any(fnmatchcase(row.benchmark, pattern) for pattern in patterns)


def call(script: str) -> tuple[str, ...]:
    """Return the words that run a shell script."""
    return "sh", "-c", script


def build(tree: Path, script: str, seconds: float = 0.0) -> str:
    """Build in a work tree within a time limit; return the reason for a failure, or nothing."""
    if not tree.is_dir():
        return f"the commit has no folder {tree.name}"
    if not script:
        return ""
    with TemporaryFile() as log:
        outcome = execute([*call(script)], log, log, folder=tree, seconds=seconds)
        if outcome.is_interrupted:
            raise KeyboardInterrupt
        log.seek(0)
        last = log.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    opening = f": {show_opening(last)}" if last else ""
    if outcome.reason:
        return f"--build was {outcome.reason}, and was stopped{opening}; {LONGER}"
    return f"--build exited with code {outcome.exit}{opening}" if outcome.exit else ""


def plan_sides(
    repository: Repository,
    sides: Mapping[str, Commit],
    command: tuple[str, ...],
    script: str,
    announce: Callable[[str], object],
    seconds: float = 0.0,
) -> Plan:
    """Check out and build commits, and return the plan that measures them alternately.

    Each command has a time limit in seconds; 0 means none.

    Raises
    ------
    DataError
        If one of them cannot be built.
    """
    variants = {}
    for name, commit in sides.items():
        announce(f"{name}: {commit.short} ({commit.subject})")
        tree = repository.check_out(commit)
        if problem := build(tree, script, seconds):
            hint = "try it in a checkout of that commit"
            raise DataError(problem, where=f"{name} ({commit.short})", hint=hint)
        variants[name] = Commands(command=command, folder=tree, build=script, commit=commit.sha)
    return Plan(variants=variants, timeout=seconds)
