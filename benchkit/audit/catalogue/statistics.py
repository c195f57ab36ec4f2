"""The codes about the number, the order and the spread of runs (B30x, B33x)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

STATISTICS = (
    Entry(
        code="B301",
        severity="warning",
        says="one run on a side: direction only",
        what="A primary row has one run on a side.",
        why="The requests inside one run say nothing of how runs differ: tests on them find a "
        "difference between identical programs in a quarter to a half of all cases.",
        example="one run on a side in 4 of 4 primary rows: direction only",
        do="Run each variant as often as the finding says, in turn.",
    ),
    Entry(
        code="B302",
        severity="warning",
        says="too few runs for so many primary rows: some or all can never be shown",
        what="The smallest p-value that the runs of a row allow, adjusted for the other primary "
        "rows, is above α. With 4 + 4 runs one row can be shown, with 3 + 3 by ranks none.",
        why="`~` or `not shown` would be printed whatever the difference.",
        example="no row can reach p ≤ 0.05: 4 + 4 runs decide at most 1 row, there are 4",
        do="Run each side more often, or name fewer primaries (--metric, metrics= in Python).",
    ),
    Entry(
        code="B303",
        severity="info",
        says="runs that are listed and not compared",
        what="Warm-ups, aggregates and parts of other runs are in the list of runs only.",
        why="What was left out must be as visible as what was counted.",
        example="40 warmup runs listed, not compared",
        do="See `benchkit runs`; a role can be set in run.toml.",
    ),
    Entry(
        code="B306",
        severity="warning",
        says="under `--compat benchstat`: benchstat's p-value is wrong here, and which is right",
        what="With ties and sides of different size benchstat doubles one tail of a distribution "
        "that is not symmetric.",
        why="Such a p changes when the files are swapped, and may exceed 1.",
        example="benchstat prints p=0.000; the exact test with ties gives 0.200",
        do="Use `benchkit compare` without --compat, or as many runs on both sides.",
    ),
    Entry(
        code="B307",
        severity="warning",
        says="a benchstat table shows a p-value that its runs cannot give",
        what="p is below the smallest that a Mann-Whitney test of so many runs has, above 1 or "
        "below 0.",
        why="Another test was used, the table was edited, or benchstat erred: p=0.000 from 5+5 "
        "runs is none of its results, the smallest is 0.008.",
        example="enabled on Ping: sec/op: p=0.000 cannot come from 5+5 runs: the smallest p of a "
        "Mann-Whitney test of them is 0.0079",
        do="Compare the raw runs: `benchkit compare old.txt new.txt`.",
    ),
    Entry(
        code="B330",
        severity="warning",
        says="the variants were measured one after the other, not in turn",
        what="The recorded starts or positions of two variants can be told apart by order alone.",
        why="With a drift of 5 % over the session, `first all A, then all B` shows a false change "
        "three times out of four, whatever the test.",
        example="none, otlp: all runs of none were made before those of otlp",
        do="Measure the variants in turn, another one first in each round.",
    ),
    Entry(
        code="B331",
        severity="info",
        says="the order within the rounds was not rotated",
        what="One variant is the first of each round (three rounds or more).",
        why="What the first place costs or gains (a cold cache, a rested CPU) counts as its own.",
        example="none: it is the first in each of 6 rounds",
        do="Let another variant begin each round.",
    ),
    Entry(
        code="B332",
        severity="warning or info",
        says="the values drift over the session; with the change adjusted for it",
        what="Values go up or down with the time of the run (Kendall's τ within variants, or over "
        "the levels of the rounds), by more than 1.5 % over the session.",
        why="A drift that fell on one side is a change of its own; a warning where taking it out "
        "moves a change by more than 1.5 %.",
        example="request_rate.mean of /ping: it drifts by −2.1 % over the session (p = 0.031)",
        do="Measure in turn; let the machine settle first.",
    ),
    Entry(
        code="B333",
        severity="warning or info",
        says="outlying runs, with the estimate without them; never dropped",
        what="A run is more than 3.5 robust standard deviations (0.6745 · |x − median| / MAD) from "
        "its variant, on logarithms.",
        why="One starved run makes or hides a change; a warning where leaving it out moves one by "
        "more than 1.5 %.",
        example="request_rate.mean of /ping: far from the other runs of the variant: none 6; "
        "unpaired without it: otlp −14.6 % (with: −15.1 %)",
        do="Look for what disturbed them and run again; they count in every other number.",
    ),
    Entry(
        code="B334",
        severity="warning",
        says="rounding steps or ties are large beside the change",
        what="The rounding step of the source is more than a third of the change, or more than a "
        "fifth of the pairs of runs across the sides are equal.",
        why="ab's whole milliseconds cannot tell microseconds: no difference is shown because none "
        "can be seen.",
        example="latency.p50 of /: values are rounded to steps of 0.001 s, more than a third of "
        "the change",
        do="Take a form with more digits (JSON, CSV, raw samples), or another metric.",
    ),
    Entry(
        code="B335",
        severity="warning",
        says="the runs of a variant fall into two groups; names them",
        what="Ten runs or more lie in two groups of three or more, by the largest gap and by a "
        "mixture of two against one.",
        why="The median of two states is neither of them, and which one a side met is chance.",
        example="the runs of otlp fall into two groups, 12.0 % apart: 3, 7, 9 above, others below",
        do="Look for what has two states (clock, core, cache, neighbour) and measure in one.",
    ),
    Entry(
        code="B336",
        severity="info",
        says="stretches of a run resemble the one before: it tells less than its length",
        what="Neighbouring stretches of a run's samples are correlated.",
        why="A million requests that move together are far fewer; a longer run helps little.",
        example="stretches of a run resemble the one before in 6 of 8 runs (correlation 0.62)",
        do="Make more runs.",
    ),
    Entry(
        code="B337",
        severity="warning",
        says="runs begin slow or fast, or move until their end: a warm-up was counted",
        what="The first fifth of the runs differs from the rest, or they rise or fall until their "
        "end.",
        why="A warm-up that is counted, or a queue that fills, is in every percentile; the side "
        "with the longer warm-up pays for it.",
        example="latency.p50 of /shorten: runs begin slower",
        do="Warm up first and apart, or run longer; a load that never settles is above capacity.",
    ),
    Entry(
        code="B338",
        severity="warning or info",
        says="percentiles that are refused, with too few events of a run beyond",
        what="Fewer than ten events of a run lie beyond the percentile: n (1 − q) < 10.",
        why="Such a p99.9 is one slow request, or the next one.",
        example="not compared: latency.p99.9 of /; fewer than 10 events of a run lie beyond",
        do="Make the runs longer, or take a lower percentile.",
    ),
    Entry(
        code="B339",
        severity="info",
        says="run to run so much, within a run so much: whether more runs help or longer ones",
        what="The spread of the runs, parted into what differs between runs and within one.",
        why="Where runs differ, more requests in each do not help.",
        example="run to run 3.1 %, within a run 0.4 % (8 runs)",
        do="More runs where the first is larger, longer ones where the second is.",
    ),
    Entry(
        code="B340",
        severity="warning",
        says="runs starved of CPU, with the verdict with and without them; never dropped",
        what="An outlying run whose service had less than 70 % of the CPU of its variant's median.",
        why="The machine gave less: what such a run measured is not the variant.",
        example="starved of CPU: none 6, with 41 % of what the variant's other runs used",
        do="Find what took the CPU and run them again; they count in every other number.",
    ),
    Entry(
        code="B341",
        severity="warning or info",
        says="most series of a history moved alike at the newest commit: the machine comes first",
        what="Of four or more series of one machine two thirds or more moved the same way, by half "
        "to twice as much as the middle one; that moved by the margin or more, and lies outside "
        "what the middles of the earlier commits predict. Info: earlier commits of which that is "
        "true are left out of predictions.",
        why="A machine that is slow for an hour raises an alarm in every series, also in those "
        "whose code nobody touched.",
        example="41 of 44 series are 8–12 % slower at d5f59b8 (30 Sep 2026)",
        do="Measure the commit before it again on that machine, in turn with the newest: if both "
        "are slow it is the machine, else what the series have in common.",
    ),
    Entry(
        code="B342",
        severity="info",
        says="one side varies much more: ranks or permutation may give way to Welch's test",
        what="With as many runs on both sides, 4 or more, the spread of one is several times the "
        "other's, in a primary row or over all rows of a family, by more than chance.",
        why="Ranks and joint permutation take both sides to vary alike: with six times the spread "
        "on one side a family of 60 rows finds a false change in half of all sessions. Welch's "
        "test bears it, with wider intervals; the finding names the test that decides.",
        example="the runs of otlp vary 4.2 times as much as those of none (8.4 % and 2.0 %); ranks "
        "find too much then: it is compared by Welch's test",
        do="Look for what changes between the runs of that side; more runs narrow the interval.",
    ),
    Entry(
        code="B343",
        severity="info",
        says="a history has too few commits to show a change of level among so many series",
        what="Even a change without any noise would not pass: its p, the share of other orders of "
        "the commits that part as well, adjusted over all series, stays above 5 %.",
        why="12 commits have 924 ways to be parted in the middle, so that p is 0.002 at best: "
        "among 30 series one of them looks like that by chance.",
        example="12 commits cannot show a change of level among 30 series",
        do="Measure more commits, or follow fewer series: --metric, --variant and --by choose.",
    ),
)
