"""The codes about sources (B1)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

READING = (
    Entry(
        code="B103",
        severity="warning",
        says="a file was read twice, under two paths or labels, and is counted once",
        what="Two load results have the same bytes, or one file was given two labels. Compressed "
        "copies, copies with different line endings, and several files joined into one are "
        "recognised by their values. A copy counts once. However, if a later ingest reads a file "
        "under another label, the file counts under both labels, the finding says so, and a gate "
        "on the two fails. Runs with different recorded starts (`benchkit capture` records them) "
        "are not copies. Repeats that agree only in a few rounded numbers are not copies either. "
        "Counter snapshots may be identical and are all kept.",
        why="A copy turns one run into two, and makes the spread of its variant too small. A file "
        "compared with itself shows no change.",
        example="results/b/wrk-2.txt: the same bytes as results/a/wrk-1.txt; counted once",
        do="Delete the copy; if the files are two variants, label each one with label=path.",
    ),
    Entry(
        code="B104",
        severity="warning",
        says="two outputs of one run disagree on a statistic by more than rounding",
        what="Text, JSON or raw samples of one run disagree by more than their rounding "
        "explains. Quantiles from vegeta's t-digest may differ by up to 5 %.",
        why="Either the files come from two runs, or one is truncated. An output with less than "
        "95 % of the requests of another is ignored; of the remaining outputs, the most precise "
        "one counts.",
        example="hey-c30-1.csv and hey-c30-1.txt: 10 statistics differ between outputs of one run; "
        "largest: requests.count, by 85.0 % (3000 vs. 19980)",
        do="Check the file names: outputs of one run have the same number.",
    ),
    Entry(
        code="B105",
        severity="warning",
        says="two runs have identical numbers: one measurement under two names",
        what="Two different files have the same rate, mean, percentiles and phase times: at least "
        "five distinct values. For microbenchmarks, all times of two variants are equal, or the "
        "second half of a variant's values repeats the first. "
        "Runs with different recorded starts are not reported.",
        why="If two commands wrote the same results.bin, reading it under two names compares a run "
        "with itself and shows no overhead.",
        example="run 1 of 'no-agent' and run 1 of 'agent': these runs have 11 identical numbers, "
        "so they are one measurement under two names",
        do="Find the raw result of each run, or measure the lost one again.",
    ),
    Entry(
        code="B106",
        severity="warning",
        says="the commands of two variants write to the same file",
        what="The recorded commands of different variants write to the same file (-output, -o, "
        "-g, -e, --out, tee, >).",
        why="If they ran in one folder, each run overwrote the previous result, and only the "
        "last one is left.",
        example="results.bin: run 1 of 'no-agent' and run 1 of 'agent' write to the same file; "
        "if they ran in the same folder, only the last result is left",
        do="Put variant and run in the file name: `-output=agent/vegeta-results-1.bin`.",
    ),
    Entry(
        code="B107",
        severity="info",
        says="a frame has no run metadata, so the rules that need it were skipped",
        what="The observations come from a frame without run metadata (start, length, "
        "round, machine, version, command, containers). A RunSet keeps it in a separate table.",
        why="There may be problems with order, machines or spans that no finding reports.",
        example="this table has no run metadata, so the rules about order, length, machine, "
        "version, command and containers were skipped",
        do="Compare what `bk.load(path)` returns, and select runs with `.where(…)`.",
    ),
    Entry(
        code="B108",
        severity="warning",
        says="the variants of a frame were measured by different tools",
        what="Each variant of the frame was measured by a different tool. The variants are "
        "compared anyway, and the tool is shown as both names, such as `ab+hey`.",
        why="Two tools differ by several percent on the same target, because their loops, clocks "
        "and definitions of a request differ. This looks like a difference between the variants.",
        example="main was measured by ab, pr by hey: a difference between the tools looks like a "
        "difference between the variants",
        do="Measure both variants with one tool; if both names mean the same tool, use one name.",
    ),
    Entry(
        code="B109",
        severity="info",
        says="blocks of one file look like different tests, although no heading says so",
        what="Several results in one file have the same headings, command, host and path. "
        "However, they differ in the surrounding text, or in one of these facts: connections, "
        "target rate, request or response size, TLS, duration, number of requests or iterations.",
        why="If different tests counted as repeats, the spread would be meaningless and the "
        "significance false.",
        example="bench.md: the file contains 3 results without distinguishing headings; they "
        "count as 2 different tests, because they differ in duration",
        do="If they are repeats, write each one to its own file: `name-1.txt`, `name-2.txt`.",
    ),
    Entry(
        code="B110",
        severity="warning",
        says="files are missing from a folder that was ingested again, but their runs still count",
        what="A folder was ingested again, from the same origin and with the same labels, but "
        "some files of an earlier ingest are missing. The store keeps their runs. The finding "
        "disappears when the files are back. If all files of a variant are missing, `gate` does "
        "not judge it, and fails with exit code 3 unless `--variant` names other variants.",
        why="The runs of the missing files are still compared. That is right if you deleted the "
        "files to free space, and wrong if you deleted them because the runs are invalid.",
        example="results: files have been missing since the folder was ingested again, but "
        "their runs still count: results/pr/4.txt, results/pr/5.txt, results/pr/6.txt",
        do="For a store without these runs, run `benchkit ingest results --store NEW`. To keep "
        "the earlier and the new measurement apart, run `benchkit undo` right away, then ingest "
        "with `--origin NAME`, or add each commit's results with `benchkit history add`.",
    ),
    Entry(
        code="B111",
        severity="error",
        says="two measurements count as one variant, so the gate fails",
        what="There are four cases:\n(1) New results were written to a folder, and the store "
        "still contains runs of files that are gone: a remaining file was overwritten by a "
        "different measurement, or new files replaced all earlier files of a benchmark. New "
        "files beside earlier ones are not reported.\n(2) Runs that were measured "
        "separately count as repeats. Any one of these signs is enough: the commits differ; no "
        "command ever read the folders together; one variant, but not the others, got another "
        "file under its label; a file added under a label has several runs; two or more ingests "
        "each read several runs from standard input. Numbered run folders (`run1`, `run2`, or "
        "plain numbers, the lowest below 10) are repeats, and so are all files for the same row "
        "if one command reads them.\n(3) One file of `go test` contains two measurements: the "
        "allocations of a benchmark change once, with at least two runs before and after.\n(4) A "
        "packed file (`wrk-1.txt.gz`) and the file of the same name without `.gz` contain "
        "different measurements.",
        why="Some of the runs may come from another commit, so the outcome of the gate says "
        "nothing about the new one.",
        example="pr: the folder results has new results and no longer contains "
        "results/pr/4.txt, results/pr/5.txt and 3 more, so 5 earlier and 3 new runs count together",
        do="To get a store with only the new measurement, run `benchkit ingest results --store "
        "NEW`. To keep the earlier and the new measurement apart, run `benchkit undo` right away, "
        "then ingest with `--origin NAME`, or add each commit's results with `benchkit history "
        "add`. If the folders are repeats of one commit, ingest them with one command, or name "
        "them `run1`, `run2` and so on. `on_damaged = 'warn'` lets the gate pass.",
    ),
    Entry(
        code="B112",
        severity="warning",
        says="failed runs that were left out, and why",
        what="A run crashed, its command exited with a non-zero code, or its output has no result. "
        "`benchkit runs` lists it, but it is never compared.",
        why="The remaining runs may be the lucky ones: if a variant crashes in one of three "
        "runs, the other two do not show its true speed.",
        example="left out 2 failed runs of pr: results/pr/go-2.txt:14: panic: runtime error",
        do="Fix the cause and measure again. The gate's `on_failure` setting decides the exit "
        "code for a failed run.",
    ),
    Entry(
        code="B113",
        severity="warning",
        says="damaged files of a known tool, and what was left out of them",
        what="A file is corrupted, truncated or refused. The values that could be read are "
        "used; the others are missing.",
        why="Without the missing values, the result can be different.",
        example="1 damaged file of pr, left out in whole or in part: results/pr/wrk-3.txt: empty",
        do="Copy the file again or measure again. The gate's `on_damaged` setting decides the "
        "exit code for damage.",
    ),
    Entry(
        code="B114",
        severity="error",
        says="a result was left out, because the store already has it for another commit",
        what="A load result has the same bytes as one that the store has for another commit. It "
        "stays with that commit. `history add` fails if there is no other result.",
        why="If a job measured nothing, or restored an old folder, the new commit would get the "
        "old numbers and seem to cost nothing.",
        example="results/wrk-1.txt: identical to a result of commit 91c5b64, so it was not added "
        "to c861e65",
        do="Measure the new commit. If the result was added to the other commit by mistake, run "
        "`benchkit undo` while that addition is the last one.",
    ),
    Entry(
        code="B115",
        severity="info",
        says="runs of an earlier attempt of a CI job are left out",
        what="A CI job was retried, and several of its attempts ingested runs of the same variant. "
        "The last attempt counts. Attempts are recognised by the name of the job in one CI run.",
        why="The earlier attempt may have failed halfway, or have run on another machine.",
        example="pr: runs of gitlab/500/bench/9001 are left out, because the job was retried as "
        "gitlab/500/bench/9002",
        do="Nothing, or select the earlier attempt with --origin.",
    ),
    Entry(
        code="B116",
        severity="warning",
        says="a history pools runs of CI jobs with different names",
        what="At one commit, several CI jobs measured the same series on the same machine, as far "
        "as it is recorded, and their names differ, or they are jobs of one matrix. A history "
        "ignores which job measured a commit, so their runs count as repeats. Attempts at one job "
        "are not reported.",
        why="Jobs of different names often measure different things, such as two versions of "
        "Python. Their common median moves if one of them is missing.",
        example="runs of the CI jobs bench-[3.11] and bench-[3.12] count as repeats at 12 commits",
        do="Add the results of each job under a name of its own, e.g. `benchkit history add "
        "py311=results`. Ignore the finding if the jobs are repeats.",
    ),
)
