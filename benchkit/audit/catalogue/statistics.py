"""The codes about the number, the order and the spread of runs (B30x, B33x)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

STATISTICS = (
    Entry(
        code="B301",
        severity="warning",
        says="one run on a side: direction only",
        what="A primary row has one run on a side.",
        why="The requests inside one run do not show how much runs differ. Tests on them find a "
        "difference between identical programs in a quarter to a half of all cases.",
        example="one run on a side in 4 of 4 primary rows: direction only",
        do="Run each variant as often as the finding says, alternating between variants.",
    ),
    Entry(
        code="B302",
        severity="warning",
        says="too few runs for so many primary rows: some or all can never get a verdict",
        what="The smallest p-value that the runs of a row allow, adjusted for the other primary "
        "rows, is above α. With 4 + 4 runs, one row can reach a verdict; with 3 + 3 runs, a rank "
        "test can decide none.",
        why="The verdict would be inconclusive, however large the difference.",
        example="no row can reach p ≤ 0.05: 4 + 4 runs can decide at most 1 row, but there are 4",
        do="Make more runs per side, or name fewer primary metrics (--metric, metrics= in Python).",
    ),
    Entry(
        code="B303",
        severity="info",
        says="runs that are listed but not compared",
        what="Warm-ups, aggregates and parts of other runs appear only in the list of runs.",
        why="You can see what was left out as well as what was counted.",
        example="40 warmup runs are listed but not compared",
        do="List them with `benchkit runs`; you can set a role in run.toml.",
    ),
    Entry(
        code="B306",
        severity="warning",
        says="with `--compat benchstat`: benchstat's wrong p-value, and the right one",
        what="With ties and sides of different size, benchstat doubles one tail of an asymmetric "
        "distribution.",
        why="Such a p-value changes when the files are swapped, and may exceed 1.",
        example="benchstat prints p=0.000; the exact test with ties gives 0.200",
        do="Use `benchkit compare` without --compat, or equal numbers of runs on both sides.",
    ),
    Entry(
        code="B307",
        severity="warning",
        says="a benchstat table shows a p-value that its runs cannot give",
        what="The p-value is below 0, above 1, or smaller than a Mann-Whitney test of so many runs "
        "can give.",
        why="Another test was used, the table was edited, or benchstat has a bug. For example, "
        "p=0.000 is impossible with 5+5 runs; the smallest value is 0.008.",
        example="enabled on Ping: sec/op: p=0.000 is impossible with 5+5 runs: the smallest p of "
        "their Mann-Whitney test is 0.0079",
        do="Compare the raw runs: `benchkit compare old.txt new.txt`.",
    ),
    Entry(
        code="B330",
        severity="warning or info",
        says="the variants were not measured alternately, or there is no evidence that they were",
        what="According to the recorded starts or positions, all runs of one variant came before "
        "those of another. Info: no order is recorded, and all runs of a side are in one file.",
        why="With a 5 % drift over the session, measuring all of A and then all of B shows a false "
        "change three times out of four, whatever the test.",
        example="none, otlp: all runs of none were made before those of otlp",
        do="Alternate between the variants, and start each round with a different one.",
    ),
    Entry(
        code="B331",
        severity="info",
        says="the order within the rounds was not rotated",
        what="One variant is the first in every round (at least three rounds).",
        why="The effect of going first (a cold cache, a cool CPU) looks like an effect of that "
        "variant.",
        example="none: always first, in 6 of 6 rounds",
        do="Start each round with a different variant.",
    ),
    Entry(
        code="B332",
        severity="warning or info",
        says="the values drift over the session: the change with and without the drift",
        what="Values rise or fall with the time of the run (Kendall's τ within variants, or over "
        "the levels of the rounds) by more than 1.5 % over the session.",
        why="If drift affects one side more than the other, it looks like a change. It is a "
        "warning if removing the "
        "drift moves a change by more than 1.5 %.",
        example="requests/s on /ping: the values drift by −2.1 % over the session (p = 0.031)",
        do="Alternate between the variants, and let the machine settle first.",
    ),
    Entry(
        code="B333",
        severity="warning or info",
        says="outlying runs: the estimate with and without them; benchkit never drops them",
        what="A run is more than 3.5 robust standard deviations (0.6745 · |x − median| / MAD) from "
        "its variant's median, on a log scale.",
        why="One starved run can create or hide a change. It is a warning if leaving the run out "
        "moves a change by more than 1.5 %.",
        example="requests/s on /ping: far from the other runs of the variant: run 6 of none; the "
        "unpaired change: otlp −15.1 % (−14.6 % without it)",
        do="Find out what disturbed these runs, and run them again. They still count in every "
        "other number.",
    ),
    Entry(
        code="B334",
        severity="warning",
        says="rounding or ties are large compared with the change",
        what="The rounding step of the source is more than a third of the change, or more than a "
        "fifth of the pairs of runs across the sides are equal.",
        why="ab rounds to whole milliseconds, so it cannot show a difference of microseconds.",
        example="latency.p50 of /: values are rounded to steps of 0.001 s, more than a third of "
        "the change",
        do="Use a form with more digits (JSON, CSV, raw samples), or another metric.",
    ),
    Entry(
        code="B335",
        severity="warning",
        says="the runs of a variant fall into two groups",
        what="At least ten runs lie in two groups of at least three, judged by the largest gap and "
        "by whether two distributions fit better than one.",
        why="The median of two states describes neither of them, and by chance, each side may "
        "have seen a different state.",
        example="the runs of otlp fall into two groups, 12.0 % apart: 3, 7, 9 above, the others "
        "below",
        do="Find out what has two states (clock, core, cache, neighbour), and measure in one of "
        "them.",
    ),
    Entry(
        code="B336",
        severity="info",
        says="adjacent parts of a run are correlated, so the run gives less information than its "
        "length suggests",
        what="Adjacent parts of a run's samples are correlated.",
        why="A million correlated requests give as much information as a few independent ones, so "
        "a longer run helps little.",
        example="adjacent parts are correlated in 6 of 8 runs (correlation 0.62)",
        do="Make more runs.",
    ),
    Entry(
        code="B337",
        severity="warning",
        says="runs start slow or fast, or never settle: a warm-up was counted",
        what="The first fifth of a run differs from the rest, or values rise or fall until "
        "the end.",
        why="A warm-up that is counted, or a queue that fills, affects every percentile; the side "
        "with the longer warm-up looks worse.",
        example="latency.p50 of /shorten: runs start slower",
        do="Warm up first and separately, or run longer. A load that never settles is above "
        "capacity.",
    ),
    Entry(
        code="B338",
        severity="warning or info",
        says="percentiles that are not compared, because too few events of a run lie beyond them",
        what="Fewer than ten events of a run lie beyond the percentile: n (1 − q) < 10.",
        why="Such a p99.9 is the value of one slow request.",
        example="not compared: latency.p99.9 of /; fewer than 10 events of a run lie beyond it",
        do="Make the runs longer, or use a lower percentile.",
    ),
    Entry(
        code="B339",
        severity="info",
        says="spread between runs and within a run: whether more runs or longer runs help",
        what="The spread, split into the part between runs and the part within one run.",
        why="If runs differ, more requests per run do not help.",
        example="between runs 3.1 %, within a run 0.4 % (8 runs)",
        do="Make more runs if the first is larger, and longer runs if the second is larger.",
    ),
    Entry(
        code="B340",
        severity="warning",
        says="runs starved of CPU: the verdict with and without them; benchkit never drops them",
        what="An outlying run whose service had less than 70 % of its variant's median CPU.",
        why="The machine provided less CPU, so the run does not represent the variant.",
        example="starved of CPU: run 6 of none used 41 % of the CPU of the variant's other runs",
        do="Find out what took the CPU, and repeat these runs. They still count in every other "
        "number.",
    ),
    Entry(
        code="B341",
        severity="warning or info",
        says="most series of a history moved together at the newest commit: suspect the machine "
        "first",
        what="At least two thirds of the series of one machine (and at least four) moved in the "
        "same direction, each by half to twice the median move. The median move is at least "
        "the margin, and outside the range that earlier commits predict. Info: earlier commits "
        "with such a move are left out of predictions.",
        why="A machine that is slow for an hour raises an alarm in every series, including those "
        "whose code nobody changed.",
        example="41 of 44 series are 8–12 % slower at d5f59b8 (30 Sep 2026)",
        do="Measure the previous commit again on that machine, alternating with the newest. If "
        "both are slow, the cause is the machine; otherwise it is something that the series "
        "share.",
    ),
    Entry(
        code="B342",
        severity="info",
        says="one side varies much more, so Welch's test may replace ranks or permutation",
        what="With equal numbers of runs on both sides (at least 4), one side has several "
        "times the spread of the other, in a primary row or over all rows of a family, "
        "by more than chance.",
        why="Ranks and joint permutation assume that both sides vary alike. With six times the "
        "spread on one side, a family of 60 rows finds a false change in half of all sessions. "
        "Welch's test allows for it, with wider intervals; the finding names the test that "
        "decides.",
        example="the runs of otlp vary 4.2 times as much as those of none (8.4 % vs. 2.0 %); rank "
        "tests would give false positives, so Welch's test is used",
        do="Find out what changes between the runs of that side; more runs narrow the interval.",
    ),
    Entry(
        code="B343",
        severity="info",
        says="a history has too few commits to detect a step change among so many series",
        what="Even a change without any noise would not be significant. The p-value of a change "
        "is the share of reorderings of the commits with a step at least as clear. "
        "With so few commits it stays above 5 % after adjustment for all series.",
        why="12 commits can be divided into two halves in 924 ways, so p is at least 0.002. Among "
        "30 series, that happens by chance too often.",
        example="12 commits cannot show a step change among 30 series",
        do="Measure more commits, or follow fewer series: select them with --metric, --variant "
        "and --by.",
    ),
    Entry(
        code="B344",
        severity="warning",
        says="an early-stopping series is incomplete, so it gives no verdict",
        what="The runs come from `capture --until decided`, but a run of a round is missing, there "
        "are two of one round, or a side has runs from elsewhere.",
        why="The series was stopped because of what it showed, so a test for a fixed number of "
        "runs finds a false change in 15 to 25 % of all sessions. The tests for such series need "
        "every round, in order.",
        example="none, otlp: otlp lacks its run of round 3",
        do="Bring back the missing files, keep other runs in another folder, or start a new series "
        "in an empty folder.",
    ),
)
