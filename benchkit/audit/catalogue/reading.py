"""The codes about sources (B1) and about names and sides of a comparison (B2)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

READING = (
    Entry(
        code="B103",
        severity="warning",
        says="the same bytes under two paths, or one file under two labels, counted once",
        what="A load result is byte for byte one that was read before, under another path, or one "
        "file was named under two labels. It is counted once. A file that a later ingest names "
        "under another label counts under both, and the finding says so. Counter snapshots may "
        "well be identical and are kept.",
        why="A copy makes two runs of one, and the spread of a variant with copies too small; a "
        "file compared with itself shows no change.",
        example="results/b/wrk-2.txt: the same bytes as results/a/wrk-1.txt; counted once",
        do="Delete the copy; or label each with label=path if they are two variants.",
    ),
    Entry(
        code="B104",
        severity="warning",
        says="two forms of one run tell a statistic differently, beyond their rounding",
        what="Text, JSON and raw samples that were matched as forms of one run disagree by more "
        "than both round, or by more than 5 % for quantiles of vegeta's t-digest.",
        why="Either the files are of two runs, or one is cut. Forms with less than 95 % of the "
        "requests that another tells do not count; of the others the most precise does.",
        example="hey-c30-1.csv and hey-c30-1.txt: 10 statistics differ between forms of one run, "
        "most requests.count by 84.98% (3000 against 19980)",
        do="Check the file names: forms of one run have the same number.",
    ),
    Entry(
        code="B105",
        severity="warning",
        says="two runs have the same numbers: one measurement under two names",
        what="Everything that varies from run to run (rate, mean, percentiles, phases; five "
        "different numbers or more) is the same in two runs whose files differ.",
        why="Two commands that wrote one results.bin, read under two names, compare a run with "
        "itself and show no overhead.",
        example="no-agent 1, agent 1: these runs have the same 11 numbers, which separate runs "
        "never have: one measurement under two names",
        do="Find the raw result of each run, or measure the lost one again.",
    ),
    Entry(
        code="B106",
        severity="warning",
        says="the commands of two variants write to the same file",
        what="The recorded commands of runs of different variants name the same output "
        "(-output, -o, -g, -e, --out, tee, >).",
        why="Run in one folder, the second overwrites the first, and only the last is left.",
        example="results.bin: the commands of no-agent 1, agent 1 all write to it: run in one "
        "folder, each overwrites the one before, and only the last is left",
        do="Name variant and run in the file: `-output=agent/vegeta-results-1.bin`.",
    ),
    Entry(
        code="B107",
        severity="info",
        says="a table of one's own tells nothing of its runs: rules about them were passed over",
        what="Observations were loaded from a frame. What is known of runs (start, length, round, "
        "machine, version, command, containers) stands in a table of its own, which it lacks.",
        why="No finding about order, machines or spans does not mean that there is none to make.",
        example="the table tells nothing of its runs but their numbers: rules about their order, "
        "length, machine, version, command and containers were passed over",
        do="Compare what `bk.load(path)` gave, and leave out runs with `.where(…)`.",
    ),
    Entry(
        code="B108",
        severity="warning",
        says="the variants of a table of one's own were measured by different tools",
        what="Each variant of a frame has one tool, and they differ. The variants are compared all "
        "the same, under the tools' joined name.",
        why="Two tools on the same target differ by several percent: their own loops, clocks and "
        "definitions of a request show as a change of the variant.",
        example="main was measured by ab, pr by hey: the difference between the tools counts as "
        "one between the variants",
        do="Measure both variants with one tool; if both names mean one, give it one name.",
    ),
    Entry(
        code="B109",
        severity="info",
        says="blocks of one file are kept apart, though no heading tells them apart",
        what="Several results of one file have the same headings, command, host and path, but "
        "differ in the text around them or in a recorded fact: connections, target rate, size of "
        "requests or answers, TLS, length or number of requests.",
        why="Different tests pooled as repeats of one make a spread and a significance that "
        "nobody measured.",
        example="bench.md: 3 blocks are kept apart as 2 different tests where they differ in "
        "length; no heading names them",
        do="If they are repeats, write each to a file of its own: `name-1.txt`, `name-2.txt`.",
    ),
    Entry(
        code="B110",
        severity="warning",
        says="sources are gone from a folder that was ingested again, and their runs still count",
        what="A folder was ingested again, from the same origin and under the same labels. Files "
        "of an earlier ingest are no longer there. The store keeps their runs until you remove "
        "them; the finding ends when the files are back.",
        why="Whoever deletes raw files after an ingest keeps their runs; whoever removed runs on "
        "purpose still compares them.",
        example="results: it was ingested again without these sources, and their runs still "
        "count: results/pr/4.txt, results/pr/5.txt, results/pr/6.txt",
        do="`benchkit ingest results --store NEW` makes a store without them. To keep both "
        "apart, `benchkit undo` right away, then ingest with `--origin NAME`, or add the results "
        "of each commit with `benchkit history add`.",
    ),
    Entry(
        code="B111",
        severity="error",
        says="two measurements count as one variant, and the gate fails",
        what="A folder was measured again, and the runs of earlier files that are gone are still "
        "in the store. It counts as measured again where a file of the same name holds another "
        "measurement, or where all earlier files of a benchmark are gone at an ingest that reads "
        "other files of it. Where nothing new is read, or some earlier file remains (a folder "
        "that keeps the last week, say), it does not. A file that is named alone must replace one "
        "of its own name. Or runs count as repeats that were measured apart: they record "
        "different commits; their files lie in different folders that no ingest read together; or "
        "several runs each were piped to standard input more than once. Folders that count runs "
        "(`run1`, `run2`, or numbers that begin below 10) are repeats, and so is whatever one "
        "command reads into one row. Neither labels nor the order of commands matter.",
        why="The old runs may be of another commit: a pass or a regression says nothing about the "
        "new one.",
        example="pr: results was measured again without results/pr/4.txt, results/pr/5.txt and 3 "
        "more: 5 earlier and 3 new runs count together",
        do="`benchkit ingest results --store NEW` makes a store of the new measurement alone. To "
        "keep both apart, `benchkit undo` right away, then ingest with `--origin NAME`, or add the "
        "results of each commit with `benchkit history add`. Repeats of one commit that lie in "
        "several folders count as such once one ingest reads all of them, or once the folders "
        "are called `run1`, `run2` and so on. `on_damaged = 'warn'` lets the gate pass.",
    ),
    Entry(
        code="B112",
        severity="warning",
        says="runs that failed and are left out, and why",
        what="A run crashed, its command ended with another exit code than 0, or its output tells "
        "no result. It is listed by `benchkit runs` and compared with nothing.",
        why="The runs that are left may be those that went well: a variant that crashes once in "
        "three runs is not as fast as the other two.",
        example="2 failed runs of pr left out: results/pr/go-2.txt:14: panic: runtime error",
        do="Correct the cause and measure again. The gate's `on_failure` decides what a failed "
        "run means for the exit code.",
    ),
    Entry(
        code="B113",
        severity="warning",
        says="files of a known tool that are damaged, and what of them is left out",
        what="A file is torn, cut or refused. The values that could be read count, the others are "
        "missing.",
        why="A comparison over what is left can differ from one over all that was measured.",
        example="1 damaged file of pr, in part left out: results/pr/wrk-3.txt: empty",
        do="Copy the file again or measure again. The gate's `on_damaged` decides what damage "
        "means for the exit code.",
    ),
    Entry(
        code="B114",
        severity="error",
        says="the same bytes as a result of another commit, left out",
        what="A load result is byte for byte one that the store holds for another commit. It stays "
        "with that commit. `history add` fails if nothing else was read.",
        why="A job that did not measure, or restored an old folder, would give the new commit the "
        "numbers of the old one: no change, whatever the commit costs.",
        example="results/wrk-1.txt: the same bytes as a result of commit 91c5b64; it is left out "
        "of c861e65",
        do="Measure this commit. If the other commit was wrong, run `benchkit undo` right after "
        "it was added.",
    ),
)

SIDES = (
    Entry(
        code="B200",
        severity="info",
        says="`check` compared nothing, and why",
        what="The rules over two sides were not applied: no variant is known as the baseline, or "
        "the variants have no benchmark and level in common.",
        why="No finding about order, spread or names does not mean that there is none to make.",
        example="nothing was compared, so rules over two sides were passed over: which variant is "
        "the baseline?",
        do="Name it with --baseline, or map names with --rename (baseline=, rename= in Python).",
    ),
    Entry(
        code="B201",
        severity="warning",
        says="benchmarks that only one side has",
        what="A benchmark of one side has no partner of the same name on the other.",
        why="Rows that silently vanish because two names differ by a word are the commonest way "
        "to compare nothing.",
        example="enabled: one benchmark is only here: OTel_Enabled/Ping; they match if you map "
        "names: --rename 's#OTel_(Enabled|Disabled)/##'",
        do="Where names differ, use the --rename that is suggested (rename= in Python), or "
        "`rename` in benchkit.toml. Else run the benchmark for the other side too, or write "
        "`[[gate.accept]] removed` for the gate where it was removed on purpose.",
    ),
    Entry(
        code="B202",
        severity="warning",
        says="levels (params) that only one side has",
        what="A common benchmark was run at connections, threads or other levels that the other "
        "side does not have.",
        why="Different levels are different experiments; they are never pooled.",
        example="otlp: levels that only this side has: /ping at connections=16",
        do="Run both sides at the same levels.",
    ),
    Entry(
        code="B203",
        severity="warning",
        says="the sides were measured with different versions of the tool",
        what="The version that the tool prints differs between, or within, the two sides.",
        why="Versions take percentiles, corrections and timers differently.",
        example="none, otlp: wrk 4.1.0 measured none and wrk 4.2.0 otlp",
        do="Measure both sides with one version.",
    ),
    Entry(
        code="B204",
        severity="warning",
        says="the machine differs between the sides: CPU, kernel, memory, limits",
        what="A fact about the machine (from the tool, cAdvisor, run.toml's [env] or --meta) does "
        "not have the same values, equally often, on both sides of a pair; amounts of memory "
        "within 2 % are one. The gate shows nothing across it, unless allow_other_machine.",
        why="Another machine is another experiment, whatever the test says.",
        example="baseline, enabled: the machine differs: cpu Xeon E5-2680 against EPYC 7763",
        do="Measure both sides on one machine as it stands, in turn.",
    ),
    Entry(
        code="B205",
        severity="info",
        says="no variants were compared: the results are a sweep",
        what="The results are levels of load of one thing, and no two sides could be told apart.",
        why="A table of levels answers another question than what a change costs.",
        example="no variants were compared, because the results are a sweep: nothing to compare: "
        "'nginx' is the only variant",
        do="Name both sides with --pair (pairs= in Python), or put each variant in a folder of its "
        "own.",
    ),
    Entry(
        code="B207",
        severity="warning",
        says="several generators of one load are counted as runs; they decide nothing",
        what="Files of one variant, benchmark and tool declare the same run number, and their "
        "times overlap by half or more, or `shard` in their `run.toml` differs; or their names "
        "number shards, workers, instances, pods or generators: one load test of several.",
        why="Generators share one target and one moment. Counted as repeats they make the spread "
        "too small, and each sees a part of the load alone.",
        example="pr on /ping: 4 files overlap in time, or their names or sidecars number the "
        "generators of one load: they are not repeats, and decide nothing",
        do="Run one generator per run, or number the files apart if they are separate tests.",
    ),
    Entry(
        code="B206",
        severity="info",
        says="the runs of one side are longer by more than 10 %",
        what="Medians of the run lengths differ by more than 10 %, unless the runs are for a "
        "fixed number of requests.",
        why="Totals cannot be compared, a warm-up weighs more in shorter runs, and longer ones "
        "see rarer stalls.",
        example="otlp on /ping: the runs are not of one length: 15 s against 30 s in none and otlp",
        do="Run both sides for the same time.",
    ),
    Entry(
        code="B208",
        severity="warning",
        says="the sides were loaded with different query strings",
        what="The URLs of the two sides have one path, and differ behind the question mark.",
        why="Another query is another request: a page of 1000 entries costs more than one of 10.",
        example="after on /list, connections=100,threads=4: before was loaded with ?size=10 and "
        "after with ?size=1000: another request has a cost of its own",
        do="Load both sides with the same URL.",
    ),
    Entry(
        code="B209",
        severity="warning",
        says="the sides are from different origins: CI jobs or machines that ingested them",
        what="Different CI jobs or machines ingested the runs of the two sides. A side uses the "
        "origin named with --origin, else this CI job's, else this CI run's, else the only one "
        "that has it.",
        why="A job that did not measure a variant is compared with what another job measured, "
        "perhaps days ago and of another state of the code.",
        example="main, pr: pr is from origin github/11/1/bench, main from origin github/12/1/bench",
        do="Measure both sides in one job; if one job has both, name it with --origin.",
    ),
    Entry(
        code="B210",
        severity="warning",
        says="the answers of one side alone vary in length",
        what="ab counts more than 1 % of a side's requests as failed because their body had "
        "another length than the first, and none of the other side's. Runs with -l do not count "
        "them.",
        why="They are no failures, but one side answers otherwise than the other: another page, "
        "a cut one or an error with status 200 has a cost of its own.",
        example="pr on /index.html, connections=20: 40.0 % of the answers of pr have another "
        "length than the first, and none of main: the page may have changed",
        do="Compare what both answer with curl; run ab with -l if lengths may differ.",
    ),
)
