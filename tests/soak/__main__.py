"""Run campaigns: `nox -s soak`, or `python -m soak` with `tests` on the path."""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from soak.campaign import CAMPAIGNS, LOG, Budget, run, seconds, title
from soak.record import PATH, Record, Row, write_record, write_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run campaigns and print their table; a run of all of them is recorded."""
    options = _options(arguments)
    names, commit = options.campaigns or CAMPAIGNS, _commit()
    with _logging(options.log):
        LOG.info("commit %s, seed %s, %s processes", commit, options.seed, options.jobs)
        rows = [_run(name, options) for name in names]
        record = Record(commit, options.seed, options.jobs, rows)
        LOG.info("\n%s", write_table(record))
    is_whole = not options.campaigns and options.scale >= 1
    if options.out or is_whole:
        write_record(record, options.out or PATH)
    return int(any(row.losses for row in record.rows))


@contextmanager
def _logging(path: Path | None) -> Iterator[None]:
    """Write the log to stderr, and to a file if one is given."""
    with ExitStack() as stack:
        handlers: list[logging.Handler] = [logging.StreamHandler()]
        if path is not None:
            handlers.append(logging.FileHandler(path, "w", encoding="utf-8"))
        for handler in handlers:
            handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
            LOG.addHandler(handler)
            stack.callback(handler.close)
            stack.callback(LOG.removeHandler, handler)
        LOG.setLevel(logging.INFO)
        yield


def _run(name: str, options: argparse.Namespace) -> Row:
    box = options.seconds or seconds(name)
    LOG.info("%s: %s, %.0f s at most", name, title(name), box)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        budget = Budget(Path(folder), box, options.seed, options.scale, options.jobs)
        outcome = run(name, budget)
        taken = round(time.monotonic() - budget.started, 1)
    row = Row(name, title(name), taken, **asdict(outcome))
    figures = (row.trials, row.target or row.trials, len(row.losses), taken)
    LOG.info("%s: %s of %s trials, %s losses, %s s", name, *figures)
    for loss in row.losses:
        LOG.info("%s", loss)
    return row


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=PATH.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    today = int(f"{datetime.now(UTC):%Y%m%d}")
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=", ".join(CAMPAIGNS))
    parser.add_argument("--seconds", type=float, help="per campaign, in place of its box")
    parser.add_argument("--seed", type=int, default=today, help="of all trials; else the date")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the trials to run")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--log", type=Path, help="a file for what is printed")
    parser.add_argument("--out", type=Path, help="JSON of this run; of a whole one, soak.json")
    options = parser.parse_args(arguments)
    for name in options.campaigns:
        if name not in CAMPAIGNS:
            parser.error(f"unknown campaign {name!r}: use {', '.join(CAMPAIGNS)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
