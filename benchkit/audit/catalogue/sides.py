"""The codes about names and sides of a comparison (B2)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

SIDES = (
    Entry(
        code="B200",
        severity="info",
        says="why `check` compared nothing",
        what="The rules that compare two sides were skipped: the baseline is unknown, or the "
        "variants share no combination of benchmark and level.",
        why="There may be problems with order, spread or names that no finding reports.",
        example="nothing was compared, so the rules that compare two sides were skipped: which "
        "variant is the baseline?",
        do="Name the baseline with --baseline, or map names with --rename (baseline=, rename= in "
        "Python).",
    ),
    Entry(
        code="B201",
        severity="warning",
        says="one side has benchmarks that the other lacks",
        what="A benchmark has no counterpart of the same name on the other side.",
        why="Rows whose names differ, even by a single word, drop out of the comparison.",
        example="enabled: one benchmark is only on this side: OTel_Enabled/Ping; to match them, "
        "map the names: --rename 's#OTel_(Enabled|Disabled)/##'",
        do="If only the names differ, use the suggested --rename (rename= in Python), or "
        "`rename` in benchkit.toml. Otherwise run the benchmark on the other side too. If you "
        "removed it on purpose, accept that in the gate with `[[gate.accept]] removed`.",
    ),
    Entry(
        code="B202",
        severity="warning",
        says="one side has levels (params) that the other lacks",
        what="Both sides ran the benchmark, but one of them at levels (connections, threads) "
        "that the other does not have.",
        why="Different levels are different experiments; they are never pooled.",
        example="otlp: only this side has these levels: /ping at connections=16",
        do="Run both sides at the same levels.",
    ),
    Entry(
        code="B203",
        severity="warning",
        says="the sides were measured with different versions of the tool",
        what="The version that the tool prints differs between the sides or within one side.",
        why="Versions can differ in timers, percentiles and corrections.",
        example="none, otlp: 'none' was measured with wrk 4.1.0, 'otlp' with wrk 4.2.0: tool "
        "versions can measure differently",
        do="Measure both sides with one version.",
    ),
    Entry(
        code="B204",
        severity="warning",
        says="the machine differs between the sides: CPU, kernel, memory, limits",
        what="A fact about the machine differs between the sides, or its values occur in "
        "different proportions on the two sides. Facts come from the tool, cAdvisor, [env] in "
        "run.toml or --meta. Memory sizes within 2 % count as equal. The gate gives no verdict "
        "across machines unless you set allow_other_machine.",
        why="A different machine is a different experiment, whatever the test says.",
        example="baseline, enabled: the machine differs: cpu Xeon E5-2680 vs. EPYC 7763",
        do="Measure both sides alternately on one unchanged machine.",
    ),
    Entry(
        code="B205",
        severity="info",
        says="the results are a sweep, so no variants were compared",
        what="The results are load levels of a single variant, so there is nothing to compare it "
        "with.",
        why="Load levels of one variant do not show what a change costs.",
        example="the results are a sweep, so no variants were compared (nothing to compare: "
        "'nginx' is the only variant)",
        do="Name both sides with --pair (pairs= in Python), or put each variant in a folder of its "
        "own.",
    ),
    Entry(
        code="B207",
        severity="warning",
        says="files from several generators of one load test look like runs; they get no verdict",
        what="Several files of a variant seem to be parts of one load test: they have the same "
        "run number and overlap in time by at least half, their `run.toml` files differ in "
        "`shard`, or their names contain the number of a shard, worker, instance, pod or "
        "generator.",
        why="Generators load one target at the same time, and each one measures only a part of "
        "the load. Counted as repeats, they would make the spread too small.",
        example="pr on /ping: 4 files come from the generators of one load test, judging by "
        "their names, sidecars or times: they are not repeats, so they get no verdict",
        do="If the generators of a run started together, number them: `shard = 1` in the "
        "sidecar, or `{shard}` in a layout. Their files are then one run. Otherwise use one "
        "generator per run, or number the files separately if they are separate tests.",
    ),
    Entry(
        code="B212",
        severity="info",
        says="values of a run are left out, because the files of its generators do not give them",
        what="Several generators took part in a run, and not all of them kept raw samples. "
        "Counts and rates are added up, means are weighted, and minimum and maximum are those of "
        "all generators. Percentiles are left out, and so are totals that a truncated file lacks.",
        why="The p99 of a whole run is neither the mean nor the maximum of the p99s of its parts.",
        example="none on /ping: the files of the 4 generators do not give these values of the "
        "whole run, so they are left out: median latency, p99 latency",
        do="Keep the raw results of each generator, for example k6's JSON output or vegeta's "
        "results file. benchkit then pools the samples.",
    ),
    Entry(
        code="B213",
        severity="warning",
        says="results of some generators of a run are missing, so the run is not compared",
        what="Several generators took part in the runs of this side, and some runs have fewer "
        "files than others.",
        why="The rates of all generators are added up. If one is missing, the service looks "
        "slower than it is.",
        example="pr on /ping: left out run 2, because results of some generators are missing",
        do="Add the missing files. If they are lost, exclude these runs.",
    ),
    Entry(
        code="B214",
        severity="warning",
        says="two variant names differ only in a digit at the end: one may be a run of the other",
        what="The names of two variants differ only in a digit at the end. Names that are "
        "known software versions, for example `jdk` and `jdk-8`, are not reported.",
        why="A number at the end is taken as a run number only if few numbers are missing: `otlp` "
        "and `otlp-2` are two runs, but `otlp` and `otlp-5` may be two versions. Pooling two "
        "versions, or comparing two runs with each other, gives a wrong answer.",
        example="otlp-5: counted as a separate variant, but it may be run 5 of 'otlp'",
        do="If it is a run, rename the file, or give both files the same label: "
        "`benchkit compare none=none.txt otlp=otlp.txt otlp=otlp-5.txt`.",
    ),
    Entry(
        code="B206",
        severity="info",
        says="the runs of one side are more than 10 % longer",
        what="The median run lengths of the two sides differ by more than 10 %. Runs with a "
        "fixed number of requests are not checked.",
        why="Totals are not comparable, a warm-up weighs more in shorter runs, and longer runs "
        "are more likely to see rare stalls.",
        example="otlp on /ping: runs of 'none' took 15 s, runs of 'otlp' 30 s: totals are not "
        "comparable, and a warm-up weighs more in shorter runs",
        do="Run both sides for the same time.",
    ),
    Entry(
        code="B208",
        severity="warning",
        says="the load had different query strings on the two sides",
        what="The URLs of the two sides have the same path but different query strings.",
        why="A different query is a different request: a page of 1000 entries costs more than a "
        "page of 10.",
        example="after on /list, connections=100,threads=4: the query strings differ: ?size=10 "
        "for 'before', ?size=1000 for 'after'; a different request has a different cost",
        do="Send the load of both sides to the same URL.",
    ),
    Entry(
        code="B209",
        severity="warning",
        says="the sides come from different origins (CI jobs or machines that ingested them)",
        what="Different CI jobs or machines ingested the runs of the two sides. For each side, "
        "benchkit uses the first of these origins that has runs for it: the one named with "
        "--origin, this CI job, this CI run, the only origin in the store.",
        why="The other job may have measured its variant days ago, with a different state of the "
        "code.",
        example="main, pr: 'pr' comes from origin github/11/1/bench, 'main' from origin "
        "github/12/1/bench",
        do="Measure both sides in one job; if one job has both, select it with --origin.",
    ),
    Entry(
        code="B215",
        severity="warning",
        says="this CI run or job measured nothing; the results come from another one",
        what="The store has results, but none that this CI run ingested. If the environment "
        "variables do not identify the CI run, benchkit checks for the CI job instead.",
        why="The results may be days old and come from a different state of the code. If the "
        "environment variables identify the CI run, `gate` is undecided and exits 4.",
        example="main, pr: not measured by this CI run, but by origin github/71/1/bench",
        do="Ingest the results in this CI run, or select those of another one with --origin.",
    ),
    Entry(
        code="B216",
        severity="warning",
        says="closed loops with different numbers of connections or virtual users, or an open and "
        "a closed loop",
        what="All runs of both sides are closed loops, and no number of connections or virtual "
        "users occurs on both sides; or one side is an open loop and the other a closed one.",
        why="In a closed loop, each connection sends its next request after the last response. "
        "More connections change the rate and the latency even if the service is the same.",
        example="rust: 'express' was measured with 10 connections or virtual users, 'rust' with "
        "80 connections or virtual users: rates and latencies of a closed loop depend on them",
        do="Measure both sides with the same number, or at the same fixed rate.",
    ),
    Entry(
        code="B217",
        severity="warning",
        says="runs of one side were measured at the same time",
        what="Files of one variant, of runs longer than a second, overlap in time by at least half "
        "of the shorter run, though their run numbers differ.",
        why="Runs that load one service at once are parts of one load, or disturb each other. "
        "Neither shows how much repeats vary.",
        example="none on /ping: 2 files were measured at the same time, so they are parts of one "
        "load or disturbed each other, and their spread is no measure of repeats",
        do="If they are generators of one load test, number them: `shard = 1` in the sidecar, or "
        "`{shard}` in a layout. Otherwise measure one run after the other.",
    ),
    Entry(
        code="B218",
        severity="warning",
        says="files differ more than the repeats within them, so each file counts once",
        what="A variant has several files with repeats (-count, --runs, forks, repetitions), and "
        "an F test shows that files differ more than their repeats do (p ≤ 25 % after Bonferroni). "
        "Each file then counts once, by the median of its repeats.",
        why="Repeats in one file share a process and a minute of the machine. If each counts, they "
        "show a difference between identical programs in up to half of all comparisons.",
        example="a, b, go: files differ more than the repeats within them, so each file "
        "counts once, by its median (repeats and files: 'a' 30 in 3, 'b' 30 in 3)",
        do="Alternate between the variants, and measure at least 4 files of each. Few repeats per "
        "file are enough.",
    ),
    Entry(
        code="B219",
        severity="warning",
        says="a metric has different units on the two sides, so it is not compared",
        what="A metric of your own (a table, a custom metric of k6, a frame) has another unit on "
        "the other side, and one unit does not convert to the other.",
        why="A ratio of milliseconds and bytes means nothing.",
        example="a, b: cost is not compared: it has 's' in 'a' and 'B' in 'b'",
        do="Measure both sides in one unit, or give the metrics different names.",
    ),
    Entry(
        code="B210",
        severity="warning",
        says="response lengths vary on one side only",
        what="ab counts requests as failed if their body length differs from the first response. "
        "It counted more than 1 % of one side's requests, and none of the other's. Runs with -l "
        "are not reported.",
        why="These requests did not fail, but the two sides answer differently. Another page, a "
        "truncated page or an error with status 200 has a different cost.",
        example="pr on /index.html, connections=20: 40.0 % of the responses of 'pr' differ in "
        "length from its first response, but none of 'main': the page may have changed",
        do="Compare both responses with curl; run ab with -l if lengths may differ.",
    ),
    Entry(
        code="B211",
        severity="warning",
        says="the load went to different hosts, and the variant names do not show it",
        what="The URLs of the two sides name different hosts. Ports are ignored, because two "
        "builds often run on two ports of one machine. If the hosts differ by the same word as "
        "the variants (`a` on host-a and `b` on host-b, or `otlp` on app-otlp), nothing is "
        "reported.",
        why="Another host means another machine, network path or neighbour. Its speed looks like "
        "a difference between the variants.",
        example="before, after: the load for 'before' went to host-a, the load for 'after' to "
        "host-b: a difference between the hosts looks like a difference between the variants",
        do="Measure both sides on one host. If you compare hosts, name the variants after them.",
    ),
)
