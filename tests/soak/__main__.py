"""Run campaigns: `nox -s soak`, or `python -m soak` with `tests` on the path."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from soak.campaign import CAMPAIGNS, Budget, run, seconds, title
from soak.record import PATH, Row, write_record, write_table


def main() -> int:
    """Run campaigns, print their table, and keep those that ran in full."""
    options = _options()
    commit = _commit()
    rows = []
    for name in options.campaigns or CAMPAIGNS:
        print(f"{name}: {title(name)} …", file=sys.stderr, flush=True)  # noqa: T201
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            box = options.seconds or seconds(name)
            budget = Budget(Path(folder), box, options.seed, options.scale, options.jobs)
            outcome = run(name, budget)
            taken = round(time.monotonic() - budget.started, 1)
        rows.append(Row(name, title(name), commit, options.seed, taken, **asdict(outcome)))
        print("\n".join(outcome.losses[:20]), file=sys.stderr, flush=True)  # noqa: T201
        if options.scale >= 1:
            write_record(rows, options.out)
    print(write_table(rows))  # noqa: T201
    return int(any(row.losses for row in rows))


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=PATH.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    today = int(f"{datetime.now(UTC):%Y%m%d}")
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=", ".join(CAMPAIGNS))
    parser.add_argument("--seconds", type=float, help="per campaign, in place of its box")
    parser.add_argument("--seed", type=int, default=today, help="of all trials; else the date")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the trials to run")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument(
        "--out", type=Path, default=PATH, help="JSON of full campaigns, Markdown beside it"
    )
    options = parser.parse_args()
    for name in options.campaigns:
        if name not in CAMPAIGNS:
            parser.error(f"unknown campaign {name!r}: use {', '.join(CAMPAIGNS)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
