"""The sentence: rows shown, equivalent, inconclusive, and what their intervals exclude."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examples import RATE, gobench, observations, published, runs_of, tracing, verdicts

from benchkit.comparison import Comparisons, Contrast, Plan, compare
from benchkit.tables.overhead import exploratory_tables
from benchkit.tables.sentence import bullets, headline
from benchkit.verdict import Verdicts, judge


def read(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


STEADY = (30.0e-6, 30.3e-6, 29.8e-6, 30.1e-6, 29.9e-6, 30.2e-6)
WILD = (20.0e-6, 41.0e-6, 31.0e-6, 27.0e-6, 36.0e-6, 24.0e-6)


def times(factor: float) -> tuple[float, ...]:
    return tuple(value * factor for value in STEADY)


def test_changes_in_both_directions_state_their_range() -> None:
    verdicts = gobench({"A": ([100.0], [80.0]), "B": ([100.0], [110.0]), "C": ([100.0], [130.0])})
    assert "−20.0 % to +30.0 % time per operation" in read(headline(verdicts))


def test_first_line_names_each_cost_and_equivalent_variants() -> None:
    assert read(headline(tracing())) == (
        "▲ zipkin serves 16.1 % fewer requests/s than none (95 % CI 14.2–18.3 %), otlp 13.1 %, "
        "skywalking 11.5 %; apm: no meaningful difference (within ±3 %); 8 runs each."
    )


def test_exploratory_rows_stay_outside_the_first_line() -> None:
    assert "latency" not in headline(tracing())
    (line,) = bullets(tracing())
    assert read(line) == (
        "Secondary metrics (not part of the verdict): 5 of 8 differ; "
        "largest: skywalking, p99 latency +64.5 %."
    )


def test_largest_change_is_chosen_among_comparable_metrics() -> None:
    """A share of failures that grows twentyfold does not precede latencies of a few per cent."""
    extra = {
        ("latency", "p90", "s"): {"none": STEADY, "a": times(1.2), "b": times(1.3)},
        ("transfer_rate", "mean", "B/s"): {"none": STEADY, "a": times(1.2), "b": times(20)},
    }
    judged = verdicts({RATE: dict.fromkeys(("none", "a", "b"), STEADY), **extra}, "wrk", "/")
    assert any(
        "4 of 4 differ; largest in latency: b, p90 latency +30.0 %." in read(line)
        for line in bullets(judged)
    )


def test_equivalent_rows_never_lead_while_others_are_inconclusive() -> None:
    same = {f"Same{i}": (STEADY, STEADY) for i in range(5)}
    assert read(headline(gobench(same))) == (
        "= enabled: no meaningful difference from baseline in time per operation on all 5 "
        "benchmarks (all within ±3 %); 6 runs each."
    )
    text = read(headline(gobench({**same, "Wild": (STEADY, WILD)})))
    assert text.startswith("~ enabled: inconclusive in time per operation on 1 of 6 benchmarks, ")
    assert text.endswith("; no meaningful difference on 5 (each judged separately); 6 runs each.")
    rates = {"none": STEADY, "apm": STEADY, "otlp": STEADY, "zipkin": WILD}
    text = read(headline(verdicts({RATE: rates}, "wrk", "/")))
    assert text.startswith("~ zipkin: inconclusive in requests/s, ")
    assert text.endswith(
        "; apm and otlp: no meaningful difference (each within ±3 %); 6 runs each."
    )


def test_interval_of_an_inconclusive_change_keeps_its_signs() -> None:
    for factor, words in ((1.025, "+2.5 % vs. baseline (95 % CI +1."), (0.975, "CI −3.5 to −1.")):
        text = read(headline(gobench({"A": (STEADY, times(factor))})))
        assert text.startswith("~ enabled: inconclusive in time per operation")
        assert words in text


def test_imprecise_cost_has_no_numeric_interval() -> None:
    verdicts = gobench({"A": ((1.0, 1.05), (9.0, 13.0))})
    assert " (too noisy to tell how much); 2 runs each." in headline(verdicts)


@pytest.mark.parametrize(
    ("rows", "runs", "needed"), [(10, 2, 6), (10, 1, 6), (60, 1, 7), (1, 1, 4)]
)
def test_inconclusive_runs_state_how_many_would_decide(rows: int, runs: int, needed: int) -> None:
    sides = STEADY[:runs], times(1.5)[:runs]
    verdicts = gobench(
        {f"B{i}": (sides[0], tuple(v * (1 + i / 500) for v in sides[1])) for i in range(rows)}
    )
    assert headline(verdicts).startswith("~")
    assert f"{needed} " in bullets(verdicts)[0]


@pytest.mark.parametrize("rows", [10, 60])
def test_three_runs_can_decide_many_rows(rows: int) -> None:
    verdicts = gobench({f"B{i}": (STEADY[:3], times(2 + i / 500)[:3]) for i in range(rows)})
    assert headline(verdicts).startswith("▲ enabled takes 2.00× to")


def test_single_run_shows_only_a_direction() -> None:
    verdicts = published()
    assert read(headline(verdicts)) == (
        "~ apm −31.4 % requests/s vs. none, otlp −39.4 %, skywalking −43.7 %, zipkin −55.9 %, "
        "1 run per side: direction only."
    )
    assert bullets(verdicts)[0].startswith("Run each side at least 5 times")


def test_many_benchmarks_are_counted_and_the_largest_is_named() -> None:
    factors = {"Ping": 1.483, "Get": 1.5, "Set": 1.52, "Mixed": 1.55, "Pipeline": 1.604}
    verdicts = gobench({f"Redis/{name}": (STEADY, times(f)) for name, f in factors.items()})
    assert read(headline(verdicts)) == (
        "▲ enabled takes 48.3 % to 60.4 % more time per operation than baseline on all 5 "
        "benchmarks (largest: Redis/Pipeline +60.4 %); 6 runs each."
    )


def test_benchmarks_are_listed_by_verdict() -> None:
    verdicts = gobench(
        {
            "Slow": (STEADY, times(1.2)),
            "Fast": (STEADY, times(0.8)),
            "Same": (STEADY, STEADY),
            "Wild": (STEADY, WILD),
        }
    )
    assert read(headline(verdicts)) == (
        "▲ enabled takes 20.0 % more time per operation than baseline (95 % CI 18.9–21.1 %) on 1 "
        "of 4 benchmarks (Slow); faster on Fast, inconclusive on Wild, no meaningful difference on "
        "Same; 6 runs each."
    )
    assert read(bullets(verdicts)[0]).startswith(
        "Inconclusive: enabled, time per operation on Wild, "
    )


def test_requested_runs_concern_only_benchmarks_with_too_few() -> None:
    single = {name: (STEADY[:1], times(1.02)[:1]) for name in ("full", "legacy")}
    verdicts = gobench({"": (STEADY, times(1.2)), **single})
    assert read(headline(verdicts)) == (
        "▲ enabled takes 20.0 % more time per operation than baseline (95 % CI 18.8–21.2 %) on 1 "
        "of 3 benchmarks (gobench, unnamed); inconclusive on full, legacy; 1 to 6 runs each."
    )
    (line,) = bullets(verdicts)
    assert line == (
        "enabled, time per operation on full, legacy: direction only; "
        "run each side at least 5 times for a verdict."
    )


def test_excluded_range_names_its_benchmarks() -> None:
    verdicts = gobench({"/consumer": (STEADY, WILD), "bodies": (STEADY[:1], times(1.02)[:1])})
    sentence = read(headline(verdicts))
    assert sentence.startswith(
        "~ enabled: inconclusive in time per operation on both benchmarks (/consumer: the change"
    )
    assert sentence.endswith("; bodies: no interval with 1 run per side); 1 to 6 runs each.")


def test_many_benchmarks_without_intervals_are_counted() -> None:
    single = {f"Redis/Operation{i}": (STEADY[:1], times(1.02)[:1]) for i in range(9)}
    verdicts = gobench({"Slow": (STEADY, times(1.2)), **single})
    assert headline(verdicts).endswith("; inconclusive on 9; 1 to 6 runs each.")
    assert bullets(verdicts)[0].startswith(
        "enabled, time per operation on 9 benchmarks: direction only;"
    )


def test_factors_are_written_as_factors() -> None:
    verdicts = gobench({"A": (STEADY, times(1.5)), "B": (STEADY, times(33.4))})
    assert read(headline(verdicts)) == (
        "▲ enabled takes 1.50× to 33.4× the time per operation of baseline on both benchmarks "
        "(largest: B 33.4×); 6 runs each."
    )


def test_decrease_by_a_factor_is_written_as_a_percentage() -> None:
    rates = {"a": times(1e9), "b": times(1e9 / 27.6), "c": times(1e9 / 12)}
    assert read(headline(verdicts({RATE: rates}, "wrk", "/"))).startswith(
        "▲ b serves 1/27.6 of the requests/s of a (95 % CI 1/27.3–1/27.9), c 1/12.0; "
    )
    judged = gobench({"A": (STEADY, times(1 / 27.6)), "B": (STEADY, times(1 / 12))})
    assert read(headline(judged)).startswith("▼ enabled is 12.0× to 27.6× faster than baseline")


def test_gain_is_reported_for_either_direction() -> None:
    less = gobench({"A": (STEADY, times(0.8))})
    assert read(headline(less)).startswith("▼ enabled takes 20.0 % less time per operation than ")
    more = verdicts({RATE: {"a": times(1e9), "b": times(1.2e9)}}, "wrk", "/")
    assert read(headline(more)).startswith("▼ b serves 20.0 % more requests/s than a (95 % CI 1")


def test_inconclusive_row_states_what_is_excluded() -> None:
    verdicts = gobench({"A": (STEADY, WILD)})
    text = read(headline(verdicts))
    assert text.startswith("~ enabled: inconclusive in time per operation, ")
    assert "vs. baseline (95 % CI −" in text
    assert "per side" in bullets(verdicts)[0] or "too noisy" in bullets(verdicts)[0]


def test_missing_primary_metric_is_reported() -> None:
    judged = verdicts({("latency", "p99", "s"): {"a": STEADY, "b": times(2)}}, "wrk", "/")
    assert headline(judged).startswith(
        "~ No verdict: the two sides have no primary metric in common"
    )


def test_metric_without_direction_is_reported_as_changed() -> None:
    undirected = replace(contrast(tracing()), better="none", primary=True)
    verdicts = judge(
        Comparisons(pairs=(("none", "otlp"),), contrasts=(undirected,), confidence=0.95)
    )
    assert read(headline(verdicts)) == (
        "≠ otlp serves 13.1 % fewer requests/s than none (95 % CI 11.1–14.8 %); 8 runs each."
    )


def contrast(verdicts: Verdicts) -> Contrast:
    return verdicts.rows[0].contrast


@pytest.mark.parametrize("count", [6, 20])
def test_many_variants_still_fit_one_line(count: int) -> None:
    sides = {"none": STEADY} | {f"backend-{n}": times(1 - n / 100) for n in range(5, 5 + count)}
    judged = verdicts({RATE: sides}, "wrk", "/")
    assert len(read(headline(judged)).split()) <= 45
    assert f"each of {count} variants serves" in headline(judged)


def test_wording_promises_no_more_than_the_data() -> None:
    for shown in (tracing(), tracing(runs=3), published(), gobench({"A": (STEADY, WILD)})):
        text = " ".join([headline(shown), *bullets(shown)]).lower()
        assert "proven" not in text
        assert "no overhead" not in text
        assert len(bullets(shown)) <= 3


def test_names_cannot_break_the_line() -> None:
    sides = {"none": (100.0,), "a\nb\x1b[2J": (90.0,)}
    text = headline(verdicts({RATE: sides}, "wrk", "/"))
    assert "\n" not in text
    assert "\x1b" not in text


BELOW = {
    "A": ((-5.1, -4.8, -5.3, -5.0, -4.9, -5.2), (-4.9, -4.6, -5.2, -4.9, -4.7, -5.3)),
    "B": ((-6.0, -3.0, -9.0, -5.0, -7.0, -2.0), (-4.0, -1.0, -7.0, -2.0, -5.0, -8.0)),
    "C": ((4.0, -30.0, 20.0, 1.0, 35.0, -9.0), (-2.0, 28.0, -33.0, 5.0, 40.0, 7.0)),
}


def balances(*primaries: tuple[str, str]) -> Verdicts:
    rows = [
        (variant, name, run, "balance", "sample", value, "1")
        for name, sides in BELOW.items()
        for variant, values in zip(("none", "apm"), sides, strict=True)
        for run, value in enumerate(values, 1)
    ]
    data, runs = observations(rows, "gobench"), runs_of(rows, "gobench")
    return judge(compare(data, runs, [("none", "apm")], Plan(primaries=primaries)))


def test_range_excluded_for_all_rows_is_excluded_in_each() -> None:
    verdicts = balances(("balance", "sample"))
    a, b, _ = (row.contrast for row in verdicts.primary)
    assert (a.difference_low or 0) > (b.difference_low or 0)
    ends = f"{b.difference_low:.2f} and {b.difference_high:.2f}".replace("-", "−")
    assert read(headline(verdicts)) == (
        f"~ apm: inconclusive in balance on all 3 benchmarks (A, B: the change is between {ends}; "
        "C: too noisy to tell); 6 runs each."
    )


def test_exploratory_rows_state_why_nothing_can_be_shown() -> None:
    (table,) = exploratory_tables(balances())
    reason = "no verdict: the baseline is below 0, so a margin in percent is meaningless"
    assert table.notes == (reason,)
    assert [row[-2].notes for row in table.rows] == [(1,), (1,), ()]
