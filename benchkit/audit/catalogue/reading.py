"""The codes about sources (B1) and about names and sides of a comparison (B2)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

READING = (
    Entry(
        code="B103",
        severity="warning",
        says="a file was read twice, under two paths or labels, and is counted once",
        what="A load result has the same bytes as one that was read before under another path, or "
        "one file was given two labels. The finding also covers a file whose runs are all in other "
        "files of the variant, with the same values: a compressed copy, a copy with other line "
        "ends, or one file made of several. A copy is counted once. If a later ingest reads "
        "the same file under another label, it counts under both, and the finding says so. "
        "Repeats that happen to agree in a few rounded numbers are not copies, and neither are "
        "runs that record different starts, as `benchkit capture` notes them. Identical counter "
        "snapshots are normal and are all kept.",
        why="A copy turns one run into two, and makes the spread of its variant too small. A file "
        "compared with itself shows no change.",
        example="results/b/wrk-2.txt: the same bytes as results/a/wrk-1.txt; counted once",
        do="Delete the copy; if the files are two variants, label each one with label=path.",
    ),
    Entry(
        code="B104",
        severity="warning",
        says="two outputs of one run disagree on a statistic by more than rounding",
        what="Text, JSON and raw samples that were matched as outputs of one run disagree by more "
        "than the rounding of both, or by more than 5 % for quantiles of vegeta's t-digest.",
        why="Either the files come from two runs, or one is truncated. A form with less than 95 % "
        "of the requests of another form is ignored; of the remaining forms, the most precise "
        "one counts.",
        example="hey-c30-1.csv and hey-c30-1.txt: 10 statistics differ between outputs of one run; "
        "largest: requests.count, by 85.0 % (3000 vs. 19980)",
        do="Check the file names: outputs of one run have the same number.",
    ),
    Entry(
        code="B105",
        severity="warning",
        says="two runs have identical numbers: one measurement under two names",
        what="All numbers that vary from run to run (rate, mean, percentiles, phases; at "
        "least five different numbers) are equal in two runs whose files differ. For "
        "microbenchmarks, all times of two variants are equal. Runs with different recorded "
        "starts are separate.",
        why="If two commands wrote the same results.bin, reading it under two names compares a run "
        "with itself and shows no overhead.",
        example="run 1 of no-agent, run 1 of agent: these runs have 11 identical numbers, which "
        "separate "
        "runs never have: one measurement under two names",
        do="Find the raw result of each run, or measure the lost one again.",
    ),
    Entry(
        code="B106",
        severity="warning",
        says="the commands of two variants write to the same file",
        what="The recorded commands of runs of different variants name the same output file "
        "(-output, -o, -g, -e, --out, tee, >).",
        why="If they ran in one folder, the second overwrote the first, and only the last result "
        "is left.",
        example="results.bin: the commands of run 1 of no-agent, run 1 of agent all write to it: "
        "in one "
        "folder, each run overwrites the previous one, and only the last is left",
        do="Put variant and run in the file name: `-output=agent/vegeta-results-1.bin`.",
    ),
    Entry(
        code="B107",
        severity="info",
        says="a frame has no facts about its runs, so rules about them were skipped",
        what="The observations come from a frame without run facts (start, length, round, machine, "
        "version, command, containers). These facts are in a separate table.",
        why="The absence of findings about order, machines or spans does not mean that there are "
        "no problems.",
        example="this table has no facts about its runs: rules about order, length, machine, "
        "version, command, and containers were skipped",
        do="Compare what `bk.load(path)` returns, and leave out runs with `.where(…)`.",
    ),
    Entry(
        code="B108",
        severity="warning",
        says="the variants of a frame were measured by different tools",
        what="Each variant of the frame has one tool, and the tools differ. The variants are "
        "compared anyway, with both names as the tool, such as `ab+hey`.",
        why="Two tools on the same target differ by several percent, because their loops, clocks "
        "and definitions of a request differ. This difference looks like a change of the "
        "variant.",
        example="main was measured by ab, pr by hey: a difference between the tools looks like a "
        "difference between the variants",
        do="Measure both variants with one tool; if both names mean the same tool, use one name.",
    ),
    Entry(
        code="B109",
        severity="info",
        says="blocks of one file look like different tests, although no heading says so",
        what="Several results in one file have the same headings, command, host and path, but "
        "differ in the surrounding text or in a recorded fact: connections, target rate, "
        "request or response size, TLS, duration or number of requests.",
        why="Pooling different tests as repeats would give a meaningless spread and false "
        "significance.",
        example="bench.md: 3 blocks are kept apart as 2 different tests because they differ in "
        "length; no heading names them",
        do="If they are repeats, write each one to its own file: `name-1.txt`, `name-2.txt`.",
    ),
    Entry(
        code="B110",
        severity="warning",
        says="sources are missing from a folder that was ingested again; their runs still count",
        what="A folder was ingested again, from the same origin and with the same labels, and some "
        "files of an earlier ingest are missing. The store keeps their runs until you remove "
        "them; the finding ends when the files are back.",
        why="The earlier runs are still compared. That is right if you deleted files only to free "
        "space, and wrong if you deleted them because their runs are invalid.",
        example="results: sources are missing since it was ingested again, and their runs still "
        "count: results/pr/4.txt, results/pr/5.txt, results/pr/6.txt",
        do="`benchkit ingest results --store NEW` makes a store without them. To keep both "
        "measurements apart, run `benchkit undo` right away, then ingest with `--origin NAME`, "
        "or add the results of each commit with `benchkit history add`.",
    ),
    Entry(
        code="B111",
        severity="error",
        says="two measurements count as one variant, so the gate fails",
        what="A folder was measured again, and the store still holds runs of earlier files "
        "that are gone. benchkit sees this if a file of the same name now holds a different "
        "measurement, or if all earlier files of a benchmark are gone and new ones take their "
        "place. A folder that keeps some earlier files, for example those of the last week, "
        "does not cause the finding. If you ingest one file by its path, only a file of the "
        "same name counts as its replacement. The finding also appears if runs that were "
        "measured separately count as repeats: they record different commits; their folders "
        "were never read by one command; a file was added under a label in use while the other "
        "variants of the benchmark got none, or the file holds several runs; or you piped "
        "several runs to standard input, more than once. Numbered run folders (`run1`, `run2`, "
        "or numbers that start below 10) are repeats, and so is everything that one command "
        "reads into one row. Neither labels nor the order of commands matter. Finally, one file "
        "of `go test` may contain two measurements: the allocations of a benchmark change once, "
        "with at least two runs on either side.",
        why="The old runs may come from another commit, so a pass or a regression says nothing "
        "about the new one.",
        example="pr: results was measured again without results/pr/4.txt, results/pr/5.txt and 3 "
        "more: 5 earlier and 3 new runs count together",
        do="`benchkit ingest results --store NEW` makes a store of the new measurement alone. To "
        "keep both apart, run `benchkit undo` right away, then ingest with `--origin NAME`, or "
        "add the results of each commit with `benchkit history add`. If the folders are repeats "
        "of one commit, ingest all of them with one command, or name them `run1`, `run2` and so "
        "on. `on_damaged = 'warn'` lets the gate pass.",
    ),
    Entry(
        code="B112",
        severity="warning",
        says="failed runs that are left out, and why",
        what="A run crashed, its command exited with a non-zero code, or its output has no result. "
        "`benchkit runs` lists it, but it is never compared.",
        why="The remaining runs may be the lucky ones: a variant that crashes in one of three runs "
        "is not as fast as the other two suggest.",
        example="2 failed runs of pr left out: results/pr/go-2.txt:14: panic: runtime error",
        do="Fix the cause and measure again. The gate's `on_failure` setting decides the exit "
        "code for a failed run.",
    ),
    Entry(
        code="B113",
        severity="warning",
        says="damaged files of a known tool, and the parts that are left out",
        what="A file is corrupted, truncated or refused. The values that could be read count; the "
        "others are missing.",
        why="A comparison of what is left can differ from a comparison of everything that was "
        "measured.",
        example="1 damaged file of pr, partly left out: results/pr/wrk-3.txt: empty",
        do="Copy the file again or measure again. The gate's `on_damaged` setting decides the "
        "exit code for damage.",
    ),
    Entry(
        code="B114",
        severity="error",
        says="a result that the store already has for another commit is left out",
        what="A load result has the same bytes as one that the store holds for another "
        "commit. It stays with that commit. `history add` fails if it reads nothing else.",
        why="A job that did not measure, or that restored an old folder, would give the new commit "
        "the old numbers: no change, whatever the commit costs.",
        example="results/wrk-1.txt: identical to a result of commit 91c5b64; it is left out of "
        "c861e65",
        do="Measure this commit. If the other commit was wrong, run `benchkit undo` right after "
        "adding it.",
    ),
)

SIDES = (
    Entry(
        code="B200",
        severity="info",
        says="`check` compared nothing, and why",
        what="The rules that compare two sides were skipped: the baseline is unknown, or the "
        "variants have no benchmark and level in common.",
        why="The absence of findings about order, spread or names does not mean that there are no "
        "problems.",
        example="nothing was compared, so rules about two sides were skipped: which variant is the "
        "baseline?",
        do="Name the baseline with --baseline, or map names with --rename (baseline=, rename= in "
        "Python).",
    ),
    Entry(
        code="B201",
        severity="warning",
        says="benchmarks that only one side has",
        what="A benchmark of one side has no counterpart of the same name on the other side.",
        why="Names that differ by one word silently leave rows out of a comparison.",
        example="enabled: one benchmark is only on this side: OTel_Enabled/Ping; to match them, "
        "map the names: --rename 's#OTel_(Enabled|Disabled)/##'",
        do="If the names differ, use the suggested --rename (rename= in Python) or `rename` in "
        "benchkit.toml. Otherwise run the benchmark on the other side too. If you removed it "
        "on purpose, add `[[gate.accept]] removed` for the gate.",
    ),
    Entry(
        code="B202",
        severity="warning",
        says="levels (params) that only one side has",
        what="One side ran a common benchmark at connections, threads or other levels that the "
        "other side does not have.",
        why="Different levels are different experiments; they are never pooled.",
        example="otlp: levels that only this side has: /ping at connections=16",
        do="Run both sides at the same levels.",
    ),
    Entry(
        code="B203",
        severity="warning",
        says="the sides were measured with different versions of the tool",
        what="The version that the tool prints differs between the sides or within one side.",
        why="Versions compute percentiles, corrections and timers differently.",
        example="none, otlp: none was measured with wrk 4.1.0, otlp with wrk 4.2.0",
        do="Measure both sides with one version.",
    ),
    Entry(
        code="B204",
        severity="warning",
        says="the machine differs between the sides: CPU, kernel, memory, limits",
        what="A fact about the machine (from the tool, cAdvisor, run.toml's [env] or --meta) has "
        "different values on the two sides of a pair, or has them in different proportions. "
        "Amounts of memory within 2 % count as equal. The gate gives no verdict across machines "
        "unless you set allow_other_machine.",
        why="A different machine is a different experiment, whatever the test says.",
        example="baseline, enabled: the machine differs: cpu Xeon E5-2680 vs. EPYC 7763",
        do="Measure both sides alternately on one unchanged machine.",
    ),
    Entry(
        code="B205",
        severity="info",
        says="the results are a sweep, so no variants were compared",
        what="The results are load levels of a single variant; there are no two sides to compare.",
        why="A table of levels does not tell you what a change costs.",
        example="no variants were compared, because the results are a sweep: nothing to compare: "
        "'nginx' is the only variant",
        do="Name both sides with --pair (pairs= in Python), or put each variant in a folder of its "
        "own.",
    ),
    Entry(
        code="B207",
        severity="warning",
        says="files of one load test with several generators count as runs, and get no verdict",
        what="Files of one variant, benchmark and tool have the same run number and overlap "
        "in time by at least half, or their `run.toml` files differ in `shard`, or their "
        "names number shards, workers, instances, pods or generators. They are parts of "
        "one load test.",
        why="Generators share one target and one moment. Counted as repeats, they make the spread "
        "too small, and each one sees only a part of the load.",
        example="pr on /ping: 4 files overlap in time, or their names or sidecars number the "
        "generators of one load test: they are not repeats, and get no verdict",
        do="If the generators of a run started together, number them: `shard = 1` in the "
        "sidecar, or `{shard}` in a layout. Their files are then one run. Otherwise use one "
        "generator per run, or number the files separately if they are separate tests.",
    ),
    Entry(
        code="B212",
        severity="info",
        says="the generators of one run keep summaries, which give no percentiles of the whole run",
        what="A run was made by several generators, and not all of them keep raw samples. Counts "
        "and rates are summed, means are weighted, and extremes are taken over all. Percentiles "
        "are left out.",
        why="The p99 of a whole run is neither the mean nor the maximum of the p99s of its parts.",
        example="none on /ping: the 4 generators keep only summaries, so these values of the whole "
        "run are left out: median latency, p99 latency",
        do="Keep the raw results of each generator, for example k6's JSON output or vegeta's "
        "results file. Samples are pooled.",
    ),
    Entry(
        code="B213",
        severity="warning",
        says="results of some generators of a run are missing, so the run is not compared",
        what="The runs of this side were made by several generators, and some runs have fewer "
        "files than the others.",
        why="Counts and rates of several generators are summed. With one missing, the sum would "
        "look like a slower service.",
        example="pr on /ping: left out, because results of some generators are missing: run 2",
        do="Add the missing files. If they are lost, exclude these runs.",
    ),
    Entry(
        code="B214",
        severity="warning",
        says="a variant is called like another one with a number: perhaps it is a run of it",
        what="The names of two variants differ only in a number of one or two digits at the end.",
        why="Numbers count runs only if few are missing: `otlp` and `otlp-2` are two runs, but "
        "`otlp` and `otlp-5` may be two versions. Versions that are pooled, or runs that are "
        "compared with each other, give a wrong answer.",
        example="otlp-5: a variant of its own; it may also be run 5 of otlp",
        do="If it is a run, rename the file, or give both files the same label: "
        "`benchkit compare none=none.txt otlp=otlp.txt otlp=otlp-5.txt`.",
    ),
    Entry(
        code="B206",
        severity="info",
        says="the runs of one side are more than 10 % longer",
        what="The median run lengths differ by more than 10 %, unless the runs have a fixed number "
        "of requests.",
        why="Totals are not comparable, a warm-up weighs more in shorter runs, and longer runs see "
        "rarer stalls.",
        example="otlp on /ping: run lengths differ: 15 s in none vs. 30 s in otlp",
        do="Run both sides for the same time.",
    ),
    Entry(
        code="B208",
        severity="warning",
        says="the sides were loaded with different query strings",
        what="The URLs of the two sides have the same path but different query strings.",
        why="A different query is a different request: a page of 1000 entries costs more than a "
        "page of 10.",
        example="after on /list, connections=100,threads=4: before was loaded with ?size=10 and "
        "after with ?size=1000: a different request has a different cost",
        do="Load both sides with the same URL.",
    ),
    Entry(
        code="B209",
        severity="warning",
        says="the sides come from different origins (CI jobs or machines that ingested them)",
        what="Different CI jobs or machines ingested the runs of the two sides. A side uses the "
        "origin named with --origin; else this CI job's; else this CI run's; else the only "
        "origin that has it.",
        why="The other job may have measured its variant days ago, from another state of the code.",
        example="main, pr: pr is from origin github/11/1/bench, main from origin github/12/1/bench",
        do="Measure both sides in one job; if one job has both, select it with --origin.",
    ),
    Entry(
        code="B210",
        severity="warning",
        says="response lengths vary on one side only",
        what="ab counts more than 1 % of one side's requests as failed because their body length "
        "differs from the first, and none of the other side's. Runs with -l do not count them.",
        why="They are not failures, but the two sides answer differently: another page, a "
        "truncated one, or an error with status 200 has a different cost.",
        example="pr on /index.html, connections=20: 40.0 % of the responses of pr differ in length "
        "from the first one, and none of main: the page may have changed",
        do="Compare both responses with curl; run ab with -l if lengths may differ.",
    ),
    Entry(
        code="B211",
        severity="warning",
        says="the load went to different hosts, and the variant names do not show it",
        what="The URLs of the two sides name different hosts. Ports are ignored, because two "
        "builds "
        "often run on two ports of one machine, and 127.0.0.1 is localhost. The finding does not "
        "appear if a word that distinguishes the variants also distinguishes their hosts: `a` and "
        "`b` at host-a and host-b, or `otlp` at app-otlp.",
        why="Another host is another machine, network path or neighbour. Its speed looks like a "
        "change of the variant.",
        example="before, after: the load of before went to host-a, that of after to host-b: a "
        "difference between the hosts looks like a difference between the variants",
        do="Measure both sides on one host. If you compare hosts, name the variants after them.",
    ),
)
