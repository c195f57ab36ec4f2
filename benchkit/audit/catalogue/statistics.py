"""The codes about the number, the order and the spread of runs (B30x, B33x)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

STATISTICS = (
    Entry(
        code="B301",
        severity="warning",
        says="a side has only one run: direction only",
        what="In a primary row, one side has a single run.",
        why="The requests of one run do not show how much runs differ. A test on them finds a "
        "difference between identical programs in a quarter to a half of all cases.",
        example="a side has only one run in 4 of 4 primary rows: direction only",
        do="Run each variant as many times as the finding recommends, and alternate between the "
        "variants.",
    ),
    Entry(
        code="B302",
        severity="warning",
        says="too few runs for so many primary rows: some or all of them cannot get a verdict",
        what="After adjustment for the other primary rows, even the smallest possible p-value of "
        "a row is above α. With 4 + 4 runs, a rank test can give a verdict for one row; "
        "with 3 + 3 runs, for none.",
        why="The verdict is inconclusive, however large the difference is.",
        example="no row can reach p ≤ 0.05: 4 + 4 runs can give a verdict for at most 1 row, "
        "but there are 4",
        do="Run each side more times, or name fewer primary metrics (--metric, metrics= in "
        "Python).",
    ),
    Entry(
        code="B303",
        severity="info",
        says="some runs are listed but not compared",
        what="Warm-ups, aggregates and parts of other runs appear only in the list of runs.",
        why="This shows what was left out of the comparison.",
        example="40 warm-up runs are listed but not compared",
        do="List them with `benchkit runs`. If a role is wrong, set it in run.toml.",
    ),
    Entry(
        code="B306",
        severity="warning",
        says="with `--compat benchstat`: benchstat's wrong p-value, and the right one",
        what="With ties, or with different numbers of runs, benchstat doubles one tail of an "
        "asymmetric distribution.",
        why="Such a p-value changes when the files are swapped, and may exceed 1.",
        example="benchstat prints p=0.000; the exact test with ties gives 0.200",
        do="Use `benchkit compare` without --compat, or the same number of runs on both sides.",
    ),
    Entry(
        code="B307",
        severity="warning",
        says="a benchstat table shows a p-value that its runs cannot give",
        what="The p-value is below 0, above 1, or smaller than a Mann-Whitney test can give with "
        "this number of runs.",
        why="Another test was used, the table was edited, or benchstat has a bug. For example, "
        "p=0.000 is impossible with 5+5 runs; the smallest value is 0.008.",
        example="enabled on Ping: sec/op: p=0.000 is impossible with 5+5 runs: the smallest p of "
        "their Mann-Whitney test is 0.0079",
        do="Compare the raw runs: `benchkit compare old.txt new.txt`.",
    ),
    Entry(
        code="B330",
        severity="warning or info",
        says="the variants were not measured alternately, or nothing shows that they were",
        what="Warning: according to the recorded starts or positions, all runs of one variant "
        "came before those of another. Info: no order is recorded, and all runs of a side are in "
        "one file.",
        why="If the machine drifts by 5 % over the session and all of A is measured before all "
        "of B, any test finds a false change three times out of four.",
        example="none, otlp: all runs of 'none' were made before those of 'otlp': machine "
        "drift looks like a difference between them",
        do="Alternate between the variants, and start each round with a different one.",
    ),
    Entry(
        code="B331",
        severity="info",
        says="the order within the rounds did not rotate",
        what="One variant came first in every round, in at least three rounds.",
        why="The effect of going first (a cold cache, a cool CPU) looks like an effect of that "
        "variant.",
        example="none: first in all 6 rounds: the effect of going first looks like an effect of "
        "this variant",
        do="Start each round with a different variant.",
    ),
    Entry(
        code="B332",
        severity="warning or info",
        says="the values drift over the session: the change with and without the drift",
        what="Later runs have higher or lower values, by more than 1.5 % over the session "
        "(Kendall's τ within variants, or over the medians of the rounds).",
        why="If the drift affects one side more than the other, it looks like a change. The "
        "finding is a warning if removing the drift alters a change by more than 1.5 %.",
        example="requests/s on /ping: the values drift by −2.1 % over the session (p = 0.031); "
        "difference of the means: otlp −13.1 % with the drift, −13.0 % without it",
        do="Alternate between the variants, and let the machine settle first.",
    ),
    Entry(
        code="B333",
        severity="warning or info",
        says="some runs are outliers: the estimate with and without them (benchkit never drops "
        "them)",
        what="A run is more than 3.5 robust standard deviations (0.6745 · |x − median| / MAD) from "
        "its variant's median, on a log scale.",
        why="One disturbed run can create or hide a change. The finding is a warning if "
        "leaving out the run alters a change by more than 1.5 %.",
        example="requests/s on /ping: run 6 of 'none' lies far from the other runs of the same "
        "variant; unpaired change: otlp −15.1 % with it, −14.6 % without",
        do="Find out what disturbed these runs, and measure again. Tables and verdicts still "
        "include these runs.",
    ),
    Entry(
        code="B334",
        severity="warning",
        says="rounding or ties are large compared with the change",
        what="The values are rounded to steps larger than a third of the change. Or, if each run "
        "of one side is paired with each run of the other, more than a fifth of the pairs have "
        "equal values.",
        why="ab rounds to whole milliseconds, so it cannot show a difference of microseconds.",
        example="latency.p50 of /: values are rounded to steps of 0.001 s, more than a third of "
        "the change",
        do="Use an output with more digits (JSON, CSV, raw samples), or another metric.",
    ),
    Entry(
        code="B335",
        severity="warning",
        says="the runs of a variant fall into two groups",
        what="A variant has at least ten runs, and they form two groups of at least three. The "
        "test considers the largest gap, and whether two distributions fit better than one.",
        why="A median over two states describes neither of them. By chance, each side may even "
        "have seen a different state.",
        example="the runs of 'otlp' fall into two groups, 12.0 % apart: runs 3, 7, 9 are higher "
        "than the others",
        do="Find out what switches between two states (clock, core, cache, neighbour), and "
        "measure in only one of them.",
    ),
    Entry(
        code="B336",
        severity="info",
        says="adjacent parts of a run are correlated, so the run tells you less than its "
        "length suggests",
        what="The samples of a run are divided into parts, and each part resembles the one "
        "before it.",
        why="A million correlated requests tell you no more than a few independent ones, so a "
        "longer run helps little.",
        example="adjacent parts of a run are correlated in 6 of 8 runs (correlation 0.62)",
        do="Make more runs.",
    ),
    Entry(
        code="B337",
        severity="warning",
        says="runs start slow or fast, or never settle: a warm-up was counted",
        what="The first fifth of a run differs from the rest, or values rise or fall until "
        "the end.",
        why="A warm-up that is counted, or a queue that fills, affects every percentile. The "
        "side with the longer warm-up looks worse.",
        example="latency.p50 of /shorten: the first fifth of a run differs from the rest by "
        "+12.0 %",
        do="Make a separate warm-up run first, or run longer. If the values never settle, the "
        "load is above capacity.",
    ),
    Entry(
        code="B338",
        severity="warning or info",
        says="some percentiles are not compared, because too few events of a run lie beyond them",
        what="Fewer than ten events of a run lie beyond the percentile q: n (1 − q) < 10.",
        why="Such a p99.9 can be the time of one slow request.",
        example="not compared: latency.p99.9 of /; fewer than 10 events of a run lie beyond it",
        do="Make the runs longer, or use a lower percentile.",
    ),
    Entry(
        code="B339",
        severity="info",
        says="the spread between runs and within a run shows whether more runs or longer runs help",
        what="The spread has two parts: between runs, and within one run.",
        why="If the runs differ, more requests per run do not help.",
        example="the spread is 3.1 % between runs and 0.4 % within a run (8 runs)",
        do="If the runs differ from each other more than the values within a run do, make more "
        "runs; otherwise make longer runs.",
    ),
    Entry(
        code="B340",
        severity="warning",
        says="some runs were starved of CPU: the verdict with and without them (benchkit never "
        "drops them)",
        what="A run is an outlier, and its service had less than 70 % of its variant's median CPU.",
        why="The machine provided less CPU, so the run does not represent the variant.",
        example="starved of CPU: run 6 of 'none' used only 41 % of the CPU of the variant's other "
        "runs; without it, no verdict changes",
        do="Find out what took the CPU, and measure again. Tables and verdicts still include "
        "these runs.",
    ),
    Entry(
        code="B341",
        severity="warning or info",
        says="most series of a history moved together at the newest commit: suspect the machine "
        "first",
        what="Warning: at least two thirds of the series of one machine (and at least four) moved "
        "in the same direction, each by half to twice the median move. That median is at least "
        "the margin, and outside the range that earlier commits predict. Info: the series moved "
        "like this at an earlier commit; predictions ignore that commit.",
        why="If a machine is slow for an hour, every series raises an alarm, even if nobody "
        "changed its code.",
        example="41 of 44 series are 8–12 % slower at d5f59b8 (30 Sep 2026)",
        do="Measure the previous commit and the newest one alternately on that machine. If both "
        "are slow, the cause is the machine; otherwise it is something that the series have in "
        "common.",
    ),
    Entry(
        code="B342",
        severity="info",
        says="one side varies much more, so Welch's test may replace ranks or permutation",
        what="Both sides have the same number of runs (at least 4), but one has several times "
        "the spread of the other. This is more than chance explains, either in a single primary "
        "row or in all rows tested together.",
        why="Rank and permutation tests assume that both sides vary equally. With six times the "
        "spread on one side, 60 rows tested together show a false change in half of all "
        "sessions. Welch's test allows for unequal spreads, with wider intervals. The finding "
        "names the test that decides.",
        example="the runs of 'otlp' vary 4.2 times as much as those of 'none' (8.4 % vs. 2.0 %); "
        "rank tests would give false positives, so this row uses Welch's test",
        do="Find out what changes between the runs of that side. More runs narrow the interval.",
    ),
    Entry(
        code="B343",
        severity="info",
        says="the history has too few commits to detect a step change in so many series",
        what="The p-value of a change is the share of reorderings of the commits that show a "
        "step at least as clear. With so few commits, it is above 5 % after adjustment for all "
        "series, even without noise.",
        why="12 commits can be divided into two halves in 924 ways, so p is at least 0.002. "
        "Among 30 series, such a p-value occurs too often by chance.",
        example="12 commits cannot show a step change in 30 series",
        do="Measure more commits, or select fewer series with --metric, --variant and --by.",
    ),
    Entry(
        code="B344",
        severity="warning",
        says="an early-stopping series is incomplete, so there is no verdict",
        what="The runs come from `capture --until decided`, but a round lacks a run or has two "
        "of a variant, or a side has runs from elsewhere.",
        why="The series stopped because of its results. A test for a fixed number of runs would "
        "find a false change in 15 to 25 % of such series, and the tests for early stopping need "
        "every round, in order.",
        example="none, otlp: the early-stopping series is incomplete: otlp lacks its run of "
        "round 3",
        do="Restore the missing files and move other runs to another folder, or start a new "
        "series in an empty folder.",
    ),
    Entry(
        code="B345",
        severity="warning or info",
        says="the variant lacks some runs of a benchmark: the rest may be a selected sample",
        what="The baseline measured two benchmarks equally often, but fewer files of the variant "
        "contain one than the other (or, within files, at most half as many runs), and fewer runs "
        "than the baseline has. Or runs are missing before the variant's last one: of 10 runs it "
        "has runs 1, 4 and 9. At most half as many runs as the baseline has are an info. Runs that "
        "both sides lack before the last one are a warning, if they are less than a third.",
        why="A benchmark that crashes, times out or is filtered in some runs leaves only the runs "
        "that went well. Their average is better than that of all runs.",
        example="'pr' has Get in 3 files and Ping in 10, but 'main' has both in 10: the missing "
        "runs may have failed or been filtered",
        do="Find out why they are missing, and measure again. Fewer runs of all benchmarks are "
        "fine. A gate is undecided, unless the row is over its limit.",
    ),
)
