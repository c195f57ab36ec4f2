"""Runs, levels and sides are recognised anywhere in the names of files and folders."""

from __future__ import annotations

import pytest

from benchkit.labels.stems import ToolNames
from benchkit.labels.tree import read_tree
from benchkit.parsers import registry
from benchkit.selection import SIDE_NAMES

TOOLS = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())

#: Trees in a folder `results`: the group, variant, benchmark and run of each path.
TREES = {
    "the run in the middle, the level last": """
        none_run1_c20.txt  none c20 1
        none_run2_c20.txt  none c20 2
        none_run1_c50.txt  none c50 1
        none_run2_c50.txt  none c50 2
        otlp_run1_c20.txt  otlp c20 1
        otlp_run2_c20.txt  otlp c20 2
        otlp_run1_c50.txt  otlp c50 1
        otlp_run2_c50.txt  otlp c50 2""",
    "a number in the middle, the level last": """
        none-1-20.txt  none 20 1
        none-2-20.txt  none 20 2
        none-1-50.txt  none 50 1
        none-2-50.txt  none 50 2
        otlp-1-20.txt  otlp 20 1
        otlp-2-20.txt  otlp 20 2
        otlp-1-50.txt  otlp 50 1
        otlp-2-50.txt  otlp 50 2""",
    "levels in folders of runs": """
        none/run1/20.txt  none 20 1
        none/run2/20.txt  none 20 2
        none/run1/50.txt  none 50 1
        none/run2/50.txt  none 50 2
        otlp/run1/20.txt  otlp 20 1
        otlp/run1/50.txt  otlp 50 1""",
    "folders of sides and levels": """
        none_c20/run1.txt  c20: none 1
        none_c50/run1.txt  c50: none 1
        otlp_c20/run1.txt  c20: otlp 1
        otlp_c50/run1.txt  c50: otlp 1
        otlp_c50/run2.txt  c50: otlp 2""",
    "a day before a side and its run": """
        2026-11-20_none_run1.txt  none 1
        2026-11-20_none_run2.txt  none 2
        2026-11-20 otlp #1.txt    otlp 1
        2026-11-20 otlp #2.txt    otlp 2""",
    "a day and a host above the sides": """
        2026-11-20_web1/otel_off/wrk.log  web1: otel_off 1
        2026-11-20_web1/otel_on/wrk.log   web1: otel_on 1
        2026-11-21_web1/otel_off/wrk.log  web1: otel_off 2
        2026-11-21_web1/otel_on/wrk.log   web1: otel_on 2""",
    "nights of one name that hold no sides": """
        nightly-build_2026-11-20/get.txt  nightly-build_2026-11-20
        nightly-build_2026-11-21/get.txt  nightly-build_2026-11-21""",
    "attacks below the sides": """
        plain/attack_1/report.json  plain 1
        plain/attack_2/report.json  plain 2
        agent/attack_1/report.json  agent 1
        agent/attack_2/report.json  agent 2""",
    "two separators around a form": """
        k6-summary_1_base.json  base 1
        k6-summary_2_base.json  base 2
        k6-summary_1_otel.json  otel 1
        k6-summary_2_otel.json  otel 2""",
    "a word for results between a tool and a name": """
        jmh-result-main.json  main
        jmh-result-pr.json    pr""",
    "numbers that order the sides of each run": """
        attempt1/1-none.txt  none 1
        attempt1/2-otlp.txt  otlp 1
        attempt2/1-none.txt  none 2
        attempt2/2-otlp.txt  otlp 2
        attempt3/1-none.txt  none 3
        attempt3/2-otlp.txt  otlp 3""",
    "the run, then the moment": """
        none_run2_20240531_120011.txt  none 2
        none_run3_20240531_120012.txt  none 3
        otlp_run2_20240531_120013.txt  otlp 2""",
    "runs of some days": """
        none_2024-05-30_1.txt  none 1
        none_2024-05-30_2.txt  none 2
        none_2024-05-31_1.txt  none 3
        none_2024-05-31_2.txt  none 4""",
    "moments without leading zeros": """
        none_2023-5-4.txt              none 1
        none_2023-11-1_13-41-22.log    none 2
        none_2023-11-12_2-13-59.log    none 3
        otlp-2023_5_4.txt              otlp 1""",
    "moments without leading zeros as folders": """
        2025-3-9_1-40-56/none.log  none 1
        2025-3-10/none.log         none 2
        2025-3-10/otlp.log         otlp 2""",
    "runs of all": """
        none_1of3.txt     none 1
        none_2of3.txt     none 2
        otlp_1-of-3.txt   otlp 1
        otlp_2-of-3.txt   otlp 2""",
    "the first without a number": """
        none.txt    none
        none-2.txt  none 2
        none-3.txt  none 3
        otlp.txt    otlp
        otlp-2.txt  otlp 2
        otlp-3.txt  otlp 3""",
    "copies": """
        none.txt             none
        none - Copy.txt      none 2
        none - Copy (3).txt  none 3
        otlp.txt             otlp
        otlp copy 2.txt      otlp 2""",
    "signs twice": """
        none__1.txt    none 1
        none__2.txt    none 2
        otlp - 1.txt   otlp 1
        otlp - 2.txt   otlp 2
        apm[1].txt     apm 1
        apm[2].txt     apm 2""",
    "files that repeat their folder": """
        none/none-1.txt          none 1
        none/none-2.txt          none 2
        otlp/otlp-1.txt          otlp 1
        otlp/otlp-2.txt          otlp 2""",
    "files that repeat all of their folder": """
        bench-none/bench-none.txt  none
        bench-otlp/bench-otlp.txt  otlp""",
    "files that repeat a folder above": """
        none/run1/wrk-none.txt  none 1
        otlp/run1/wrk-otlp.txt  otlp 1""",
    "keys": """
        c=50/variant=none/run=1/out.txt  c=50: none 1
        c=50/variant=none/run=2/out.txt  c=50: none 2
        c=50/variant=otlp/run=1/out.txt  c=50: otlp 1""",
    "keys in names": """
        variant=none,run=1.txt  none 1
        variant=none,run=2.txt  none 2
        variant=otlp,run=1.txt  otlp 1""",
    "sessions as folders": """
        nightly-2024-05-01/none.txt    none 1
        nightly-2024-05-01/otlp.txt    otlp 1
        nightly-2024-05-02/none.txt    none 2
        nightly-2024-05-02/otlp.txt    otlp 2""",
    "runs of a CI service as folders": """
        run_98765432101/none.txt  none 1
        run_98765432107/none.txt  none 2
        run_98765432107/otlp.txt  otlp 2""",
    "builds of a CI service": """
        builds/41/archive/perf/none.txt  builds/archive/perf: none 41
        builds/41/archive/perf/otlp.txt  builds/archive/perf: otlp 41
        builds/57/archive/perf/none.txt  builds/archive/perf: none 57
        builds/57/archive/perf/otlp.txt  builds/archive/perf: otlp 57""",
    "some of many runs": """
        runs/7/none.txt  runs: none 7
        runs/8/none.txt  runs: none 8
        runs/8/otlp.txt  runs: otlp 8""",
    "weeks as folders": """
        2024-W21/none.txt  none 1
        2024-W23/none.txt  none 2""",
    "sides as endings": """
        bench.old  old
        bench.new  new""",
    "times of a day": """
        2024-01-01/none_0900.txt  none 1
        2024-01-01/otlp_0915.txt  otlp 1
        2024-01-01/none_1000.txt  none 2
        2024-01-01/otlp_1015.txt  otlp 2
        2024-01-02/none_0900.txt  none 3
        2024-01-02/otlp_0915.txt  otlp 3""",
    "times of a day with signs": """
        2024-01-01/none-09-00.txt  none 1
        2024-01-01/otlp-09h15.txt  otlp 1""",
    "times with seconds": """
        2024-01-01/none_090005.txt  none 1
        2024-01-01/otlp_091500.txt  otlp 1""",
    "times first": """
        2024-01-01/0900_none.txt  none 1
        2024-01-01/0915_otlp.txt  otlp 1""",
    "times of a day in a tool's names": """
        2024-01-01/wrk-none-0900.txt  none 1
        2024-01-01/wrk-otlp-0915.txt  otlp 1""",
    "times of a day below variants": """
        2024-01-01/none/0900.txt  none 1
        2024-01-01/none/1000.txt  none 2
        2024-01-01/otlp/0915.txt  otlp 1""",
    "full hours of two sides": """
        2024-01-01/none_0900.txt  none 1
        2024-01-01/otlp_1000.txt  otlp 1""",
    "folders of times": """
        2024-01-01/0900/none.txt  none 1
        2024-01-01/0900/otlp.txt  otlp 1
        2024-01-01/1030/none.txt  none 2
        2024-01-01/1030/otlp.txt  otlp 2
        2024-01-02/0900/none.txt  none 3
        2024-01-02/0900/otlp.txt  otlp 3""",
    "times without a day": """
        none_0900.txt  none 1
        otlp_0915.txt  otlp 1
        none_1000.txt  none 2
        otlp_1015.txt  otlp 2""",
    "times without a day below variants": """
        none/0930.txt  none 1
        none/1030.txt  none 2
        otlp/0945.txt  otlp 1""",
    "a word for results on one side alone": """
        results.txt       results
        results_otlp.txt  results_otlp""",
}

#: Four-digit numbers that are not times of day, although most could be.
LEVELS = {
    "loads of both sides": """
        none_1000.txt  none 1000
        none_2000.txt  none 2000
        otlp_1000.txt  otlp 1000
        otlp_2000.txt  otlp 2000""",
    "loads of both sides on a day": """
        2024-01-01/none_1000.txt  none 1000 1
        2024-01-01/none_2030.txt  none 2030 1
        2024-01-01/otlp_1000.txt  otlp 1000 1
        2024-01-01/otlp_2030.txt  otlp 2030 1""",
    "loads of one side on a day": """
        2024-01-01/get_1000.txt  get_1000 1
        2024-01-01/get_2000.txt  get_2000 1""",
    "folders of loads on a day": """
        2024-01-01/1000/none.txt  1000: none 1
        2024-01-01/2000/none.txt  2000: none 1""",
    "folders of levels": """
        runs/10/none.txt   runs/10: none
        runs/50/none.txt   runs/50: none
        runs/100/none.txt  runs/100: none""",
    "one load": """
        c_1000.txt   c 1000
        go_1000.txt  go 1000""",
    "one port": """
        none_8080.txt  none 8080
        otlp_8080.txt  otlp 8080""",
    "a port each": """
        2024-01-01/none_1080.txt  none 1
        2024-01-01/otlp_8081.txt  otlp 1""",
    "a load of three digits": """
        none_500.txt  none 500
        otlp_500.txt  otlp 500""",
    "years": """
        go_2019.txt    go_2019
        go_2020.txt    go_2020
        rust_2021.txt  rust_2021
        rust_2022.txt  rust_2022""",
    "sizes of one name": """
        sha_1024.txt  sha_1024
        sha_2048.txt  sha_2048""",
    "a file without a time": """
        none.txt       none
        otlp_0915.txt  otlp_0915""",
}


@pytest.mark.parametrize("lines", [*TREES.values(), *LEVELS.values()], ids=[*TREES, *LEVELS])
def test_tree_is_read_as_a_whole(lines: str) -> None:
    parts = (line.strip().partition("  ") for line in lines.splitlines()[1:])
    expected = {path: words.strip() for path, _, words in parts}
    read = read_tree([*expected], SIDE_NAMES, TOOLS, root_name="results")
    shown = [
        [f"{each.group}:" if each.group else "", each.variant, each.benchmark, str(each.run or "")]
        for each in read
    ]
    assert [" ".join(filter(None, words)) for words in shown] == [*expected.values()]
