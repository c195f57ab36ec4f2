"""Run the whole suite and record it: `nox -s calibrate`, about 25 minutes on one core."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain

from simulation.bisection import BISECTIONS, try_bisection
from simulation.grid import list_grid, read_setting, try_grid
from simulation.histories import list_newest, list_steady, try_newest, try_steady
from simulation.joint import IN_ROUNDS, TOGETHER, try_rounds, try_together
from simulation.record import METHODS, read_record, write_record
from simulation.stopping import SPENDINGS, STOPPINGS, try_stopping
from simulation.suite import find_broken, key, list_settings, try_families, try_setting


def main() -> None:
    """Try all settings, record the results, and print broken promises."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--often", type=int, default=2000, help="sessions per promise")
    parser.add_argument("-m", "--seldom", type=int, default=400, help="sessions per power")
    parser.add_argument("--missing", action="store_true", help="only what the record lacks")
    options = parser.parse_args()
    record = read_record() if options.missing else {"rows": [], "families": [], "grid": []}
    known = {key(row): row for row in record["rows"] if row["method"] in METHODS}
    settings = [setting for setting in list_settings() if setting.key not in known]
    attempt = partial(try_setting, often=options.often, seldom=options.seldom)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        families = pool.submit(try_families, 0 if options.missing else options.often)
        for row in pool.map(attempt, settings):
            known[key(row)] = row
            broken = ", ".join(find_broken(row)) or "holds"
            print(row["method"], row["runs"], row["variants"], row["world"], broken, flush=True)
        rows = [known[setting.key] for setting in list_settings()]
        cells = {read_setting(cell): cell for cell in record["grid"]}
        new = [setting for setting in list_grid() if setting not in cells]
        for cell in pool.map(partial(try_grid, sessions=options.often), new):
            cells[read_setting(cell)] = cell
            print(cell, flush=True)
        grid = [cells[setting] for setting in list_grid()]
        histories = [
            *pool.map(partial(try_newest, sessions=options.often), list_newest()),
            *pool.map(partial(try_steady, sessions=options.often), list_steady()),
        ]
        rounds = pool.map(partial(try_rounds, sessions=options.often), IN_ROUNDS)
        together = pool.map(partial(try_together, sessions=options.often), TOGETHER)
        bisections = pool.map(partial(try_bisection, sessions=options.seldom), BISECTIONS)
        stoppings = pool.map(partial(try_stopping, sessions=options.often), STOPPINGS)
        spendings = pool.map(partial(try_stopping, sessions=options.seldom), SPENDINGS)
        write_record(
            {
                "rows": rows,
                "families": families.result() or record["families"],
                "grid": grid,
                "histories": histories,
                "rounds": list(chain.from_iterable(rounds)),
                "together": list(chain.from_iterable(together)),
                "bisections": list(bisections),
                "stoppings": list(stoppings),
                "spendings": list(spendings),
            }
        )


if __name__ == "__main__":
    main()
