"""Run campaigns: `nox -s soak`, or `python -m soak` with `tests` on the path."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from soak.campaign import CAMPAIGNS, Budget, run, title
from soak.record import PATH, Row, write_record, write_table


def main() -> int:
    """Run campaigns, print the table, and keep it where all of them ran in full."""
    options = _options()
    rows = []
    for name in options.campaigns or CAMPAIGNS:
        print(f"{name}: {title(name)} …", file=sys.stderr, flush=True)  # noqa: T201
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            started = time.monotonic()
            outcome = run(
                name,
                Budget(Path(folder), options.seconds, options.seed, options.scale, options.jobs),
            )
        seconds = round(time.monotonic() - started, 1)
        rows.append(Row(name, title(name), seconds=seconds, **asdict(outcome)))
        print("\n".join(outcome.losses[:20]), file=sys.stderr, flush=True)  # noqa: T201
    print(write_table(rows))  # noqa: T201
    whole = not options.campaigns and options.scale >= 1
    if whole or options.out:
        write_record(options.out or PATH, options.seed, rows)
    return int(any(row.losses for row in rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    today = int(f"{datetime.now(UTC):%Y%m%d}")
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=", ".join(CAMPAIGNS))
    parser.add_argument("--seconds", type=float, default=900.0, help="at most, per campaign")
    parser.add_argument("--seed", type=int, default=today, help="of all trials; else the date")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the trials to run")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--out", type=Path, help="JSON of the results, and Markdown beside it")
    options = parser.parse_args()
    for name in options.campaigns:
        if name not in CAMPAIGNS:
            parser.error(f"unknown campaign {name!r}: use {', '.join(CAMPAIGNS)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
