"""Each tree becomes variants, runs and groups as a person would read it."""

from __future__ import annotations

import pytest

from benchkit.labels.stems import ToolNames
from benchkit.labels.tree import read_tree
from benchkit.parsers import registry
from benchkit.selection import SIDE_NAMES

TOOLS = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())

#: Trees in a folder `results`: the group, variant, benchmark, run and role of each path.
TREES = {
    "trials in folders": """
        off/trial01.out  off 1
        off/trial02.out  off 2
        on/trial01.out   on 1
        on/trial02.out   on 2""",
    "one name per folder": """
        main/get.txt  main
        pr/get.txt    pr""",
    "a word for results per folder": """
        main/bench.txt  main
        pr/bench.txt    pr""",
    "before and after": """
        before/wrk_output.txt  before
        after/wrk_output.txt   after""",
    "result in each folder": """
        none/result.txt  none
        otlp/result.txt  otlp""",
    "run folders below variants": """
        none/run1/output.txt  none 1
        none/run2/output.txt  none 2
        otlp/run1/output.txt  otlp 1""",
    "run folders below variants with tools": """
        none/run1/wrk.txt       none 1
        none/run1/cadvisor.prom none 1
        otlp/run-02/wrk.txt     otlp 2""",
    "run folders above variants": """
        iteration1/none.txt  none 1
        iteration2/none.txt  none 2
        iteration1/otlp.txt  otlp 1""",
    "run folders above variants with tools": """
        run1/none/wrk.txt  none 1
        run2/none/wrk.txt  none 2""",
    "run folders whose files have runs are groups": """
        run1/none-1.txt  run1: none 1
        run1/none-2.txt  run1: none 2
        run2/none-1.txt  run2: none 1""",
    "numbered stems in folders": """
        none/run1.txt     none 1
        none/run_02.log   none 2
        otlp/bench_1.out  otlp 1
        otlp/bench_2.out  otlp 2
        otlp/7.txt        otlp 7""",
    "a run alone": """
        run_01.log   results 1
        bench_2.out  results 2""",
    "forms of a run alone": """
        report.txt    results
        results.bin   results
        results.json  results""",
    "forms of a run per folder": """
        none/results.bin    none
        none/histogram.txt  none
        none/latencies.hdr  none
        otlp/results.bin    otlp
        otlp/histogram.txt  otlp
        otlp/latencies.hdr  otlp""",
    "names with numbers": """
        baseline_1.log   baseline 1
        baseline_02.log  baseline 2
        otlp_1.log       otlp 1
        otlp-run-3.log   otlp 3""",
    "numbers that begin above 1 are names": """
        jdk-17.txt  jdk-17
        jdk-21.txt  jdk-21""",
    "unless another name has the same": """
        none-1.txt  none 1
        none-2.txt  none 2
        none-3.txt  none 3
        otlp-2.txt  otlp 2
        otlp-3.txt  otlp 3""",
    "numbers of what is no run are names": """
        off/endpoint_1.txt  off endpoint_1
        off/endpoint_2.txt  off endpoint_2
        on/endpoint_1.txt   on endpoint_1
        on/endpoint_2.txt   on endpoint_2""",
    "numbers beside a baseline that has none are names": """
        main.txt     main
        patch-1.txt  patch-1
        patch-2.txt  patch-2""",
    "numbers of a tool's stems that begin above 1 are names": """
        none/wrk-stage-2.txt   none stage-2
        none/wrk-stage-3.txt   none stage-3
        none/wrk-2.txt         none 2
        none/wrk-3.txt         none 3
        none/cadvisor-x-2.txt  none 2
        none/cadvisor-x-3.txt  none 3""",
    "unless another side of a tool has the same": """
        none/wrk-get-1.txt  none get 1
        none/wrk-get-2.txt  none get 2
        none/wrk-get-3.txt  none get 3
        otlp/wrk-get-2.txt  otlp get 2
        otlp/wrk-get-3.txt  otlp get 3""",
    "doubled numbers are names": """
        get_1.txt  get_1
        get_2.txt  get_2
        get_4.txt  get_4
        get_8.txt  get_8""",
    "doubled numbers alone are names": """
        1.txt  1
        2.txt  2
        4.txt  4
        8.txt  8""",
    "levels of several variants are benchmarks": """
        none_10.txt   none 10
        none_100.txt  none 100
        otlp_10.txt   otlp 10
        otlp_50.txt   otlp 50""",
    "levels below variants": """
        none/get_1.txt  none get_1
        none/get_8.txt  none get_8
        none/put_8.txt  none put 8
        otlp/get_1.txt  otlp get_1
        otlp/get_8.txt  otlp get_8""",
    "round numbers of a tool's stems are benchmarks": """
        none/wrk-10.txt   none 10 10
        none/wrk-50.txt   none 50 50
        none/wrk-100.txt  none 100 100""",
    "one number is a run": """
        otlp-3.txt  otlp 3""",
    "moments at the end of names": """
        none-20240101-1200.txt      none 1
        none-20240102-0900.txt      none 2
        otlp_2024-01-01_12-30.txt   otlp 1
        otlp_2024-01-03_10-00.txt   otlp 2""",
    "days as folders": """
        2024-01-02/none.txt  none 1
        2024-01-02/otlp.txt  otlp 1
        2024-01-10/none.txt  none 2
        2024-01-31/none.txt  none 3""",
    "days in which runs are numbered": """
        2024-01-02/none-1.txt  none 1
        2024-01-02/none-2.txt  none 2
        2024-01-03/none-1.txt  none 3
        2024-01-03/none-2.txt  none 4
        2024-01-02/otlp-1.txt  otlp 1
        2024-01-03/otlp-2.txt  otlp 4""",
    "runs in folders of days of a variant": """
        none/2024-01-02/1.txt  none 1
        none/2024-01-02/2.txt  none 2
        none/2024-01-03/1.txt  none 3
        otlp/2024-01-03/1.txt  otlp 3""",
    "run folders in folders of days": """
        2024-01-02/run1/none.txt  none 1
        2024-01-02/run2/none.txt  none 2
        2024-01-03/run1/none.txt  none 3""",
    "runs in folders of a variant and a day": """
        2024-01-02_none/wrk-1.txt  none 1
        2024-01-02_none/wrk-2.txt  none 2
        2024-01-04_none/wrk-1.txt  none 3
        2024-01-03_otlp/wrk-1.txt  otlp 1
        2024-01-05_otlp/wrk-1.txt  otlp 2""",
    "outputs of one run": """
        baseline/raw.json      baseline
        baseline/summary.json  baseline
        otlp/raw.json          otlp""",
    "forms by the end of a name": """
        baseline.json.gz       baseline
        baseline-summary.json  baseline
        otlp-summary.json      otlp-summary""",
    "other forms of each run": """
        baseline_raw_1.json      baseline 1
        baseline_summary_1.json  baseline 1
        otlp_raw_1.json          otlp 1
        otlp_summary_1.json      otlp 1""",
    "old and new": """
        old.txt  old
        new.txt  new""",
    "benchmarks below variants": """
        main/get.txt  main get
        main/put.txt  main put
        pr/get.txt    pr get""",
    "variants below groups": """
        pinned/Baseline.txt       pinned: Baseline
        pinned/otel.txt           pinned: otel
        interleaved/Baseline.txt  interleaved: Baseline""",
    "variants below groups without a baseline": """
        eu/nginx.txt  eu: nginx
        eu/caddy.txt  eu: caddy
        us/nginx.txt  us: nginx""",
    "a baseline alone in each folder": """
        eu/none.txt  eu: none
        us/none.txt  us: none""",
    "warm-ups": """
        none/warmup.txt  none (warmup)
        none/run1.txt    none 1
        otlp/warmup_1.txt  otlp 1 (warmup)""",
    "one word for results": """
        bench.txt  results""",
    "words for results": """
        bench.txt   bench
        output.txt  output""",
    "tools": """
        none/wrk-1.txt         none 1
        none/wrk-warmup-1.txt  none 1 (warmup)
        none/notes.txt         none
        otlp/notes.txt         otlp""",
    "groups below variants": """
        old/get/run1.txt   get: old 1
        old/post/run1.txt  post: old 1
        new/get/run1.txt   get: new 1
        new/get/run2.txt   get: new 2""",
    "groups of a tool's files below variants": """
        none/get/wrk-1.txt       get: none 1
        none/get/cadvisor-1.txt  get: none 1
        otlp/get/wrk-c20-1.txt   get: otlp 1""",
    "names below groups below variants": """
        eu/before/get/c8-1.txt   eu/get: before c8 1
        eu/before/get/c64-1.txt  eu/get: before c64 1
        eu/after/get/c8-1.txt    eu/get: after c8 1
        us/before/get/c8-1.txt   us/get: before c8 1""",
    "tools' files of days": """
        2024-05-01/wrk-none-1.txt       none 1
        2024-05-01/wrk-otel-1.txt       otel 1
        2024-05-02/wrk-none-1.txt       none 2
        2024-05-02/cadvisor-none-1.txt  none 2""",
    "tools' files of runs": """
        run1/wrk-none.txt  none 1
        run1/wrk-otel.txt  otel 1
        run2/wrk-none.txt  none 2""",
    "variants of tools' files in one folder": """
        wrk-none-1.txt  none 1
        wrk-otel-1.txt  otel 1
        wrk-otel-2.txt  otel 2""",
    "benchmarks of tools' files where folders have a baseline's name": """
        old/wrk-main-1.txt   old main 1
        old/wrk-login-1.txt  old login 1
        new/wrk-main-1.txt   new main 1""",
    "folders that are the numbers of runs": """
        1/main.txt  main 1
        1/pr.txt    pr 1
        2/main.txt  main 2
        3/main.txt  main 3""",
    "folders that are the numbers of runs below variants": """
        none/1/output.txt  none 1
        none/2/output.txt  none 2
        otlp/1/output.txt  otlp 1
        otlp/2/output.txt  otlp 2""",
    "folders whose numbers count nothing": """
        8/none.txt   8: none
        8/otlp.txt   8: otlp
        64/none.txt  64: none""",
    "numbers after a dot": """
        main.1.txt   main 1
        main.2.txt   main 2
        v1.2.0.txt   v1.2.0
        v1.3.0.txt   v1.3.0""",
    "folders of forms": """
        json/none.json  none
        text/none.txt   none
        json/otlp.json  otlp""",
    "a folder of results alone": """
        results/none.txt  results: none
        results/otlp.txt  results: otlp""",
    "sides before benchmarks": """
        before-get.txt  before get
        before-put.txt  before put
        after-get.txt   after get
        after-put.txt   after put""",
    "sides after benchmarks": """
        get_main_1.txt   main get 1
        get_main_2.txt   main get 2
        put_main_1.txt   main put 1
        get_pr-12_1.txt  pr-12 get 1
        put_pr-12_1.txt  pr-12 put 1""",
    "sides before benchmarks with levels": """
        none_get_10.txt   none get-10
        none_get_100.txt  none get-100
        none_put_10.txt   none put-10
        none_put_100.txt  none put-100
        otlp_get_10.txt   otlp get-10
        otlp_get_100.txt  otlp get-100
        otlp_put_10.txt   otlp put-10
        otlp_put_100.txt  otlp put-100""",
    "sides before forms": """
        before-summary.json  before
        before-raw.json      before
        before-test.json     before test
        after-summary.json   after
        after-raw.json       after
        after-test.json      after test""",
    "sides that have not the same benchmarks": """
        before-get.txt  before-get
        before-put.txt  before-put
        after-get.txt   after-get""",
    "sides above by their words": """
        tracing-off/ping/1/out.txt  ping: tracing-off 1
        tracing-off/ping/2/out.txt  ping: tracing-off 2
        tracing-off/list/1/out.txt  list: tracing-off 1
        tracing-off/list/2/out.txt  list: tracing-off 2
        tracing-on/ping/1/out.txt   ping: tracing-on 1
        tracing-on/ping/2/out.txt   ping: tracing-on 2""",
    "groups above": """
        eu/off/trial1.txt  eu: off 1
        us/off/trial1.txt  us: off 1""",
}


def show(path: str, paths: list[str]) -> str:
    read = read_tree(paths, SIDE_NAMES, TOOLS, root_name="results")
    labels = read[paths.index(path)]
    words = [f"{labels.group}:" if labels.group else "", labels.variant, labels.benchmark]
    words += [str(labels.run) if labels.run is not None else ""]
    words += [f"({labels.role})" if labels.role != "measured" else ""]
    return " ".join(filter(None, words))


@pytest.mark.parametrize("name", TREES)
def test_tree_is_read_as_a_whole(name: str) -> None:
    expected = {
        path: words.strip()
        for path, _, words in (line.strip().partition(" ") for line in TREES[name].splitlines()[1:])
    }
    assert {path: show(path, list(expected)) for path in expected} == expected


def test_order_of_the_files_does_not_matter() -> None:
    paths = ["2024-01-10/none.txt", "2024-01-02/none.txt"]
    assert [show(path, paths) for path in paths] == ["none 2", "none 1"]


def test_folder_of_a_run_is_the_folder_of_its_files() -> None:
    (labels,) = read_tree(["none/run1/out.txt"], SIDE_NAMES, TOOLS, root_name="results")
    assert labels.folder == "none/run1"
