"""A selection states the known names; a baseline is inferred from names only if they reveal it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pandas as pd
import pytest

from benchkit.errors import BaselineError, SelectionError
from benchkit.selection import choose_baseline, require, select

if TYPE_CHECKING:
    from benchkit.schema import Observations


def frame() -> Observations:
    return cast(
        "Observations", pd.DataFrame({"variant": ["none", "otlp"], "metric": ["latency"] * 2})
    )


def test_rows_with_the_label_stay() -> None:
    assert select(frame(), variant="otlp")["variant"].tolist() == ["otlp"]
    assert len(select(frame(), variant=["otlp", "none"], metric=None)) == 2


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"variant": "olpt"}, "did you mean 'otlp'? known: none, otlp"),
        ({"varian": "none"}, "the columns are variant, metric"),
    ],
)
def test_unknown_name_is_answered_with_the_known_ones(labels: dict[str, str], message: str) -> None:
    with pytest.raises(SelectionError) as refused:
        select(frame(), **labels)
    assert message in str(refused.value)


def test_known_names_beyond_the_listed_ones_are_counted() -> None:
    with pytest.raises(SelectionError, match=r"known: B0, B1, .*, B11 and 48 more$"):
        require("Q*", [f"B{number}" for number in range(60)], "benchmark")


@pytest.mark.parametrize("name", ["none", "Baseline", "MAIN", "no-agent", "off"])
def test_usual_baseline_name_is_recognised(name: str) -> None:
    assert choose_baseline(["otlp", name, "zipkin"]) == name


def test_explicit_baseline_takes_precedence_over_names() -> None:
    assert choose_baseline(["none", "otlp"], "otlp") == "otlp"


def test_first_named_file_is_the_baseline_if_names_are_ambiguous() -> None:
    assert choose_baseline(["old", "new"], first="old") == "old"
    assert choose_baseline(["none", "base"], first="base") == "base"


@pytest.mark.parametrize(
    ("variants", "name"),
    [
        (["new", "old"], "old"),
        (["after", "Before"], "Before"),
        (["enabled", "disabled", "baseline"], "baseline"),
        (["old", "none"], "none"),
        (["otel-on", "otel-off"], "otel-off"),
        (["with-agent", "without-agent"], "without-agent"),
        (["otel", "no-otel"], "no-otel"),
        (["k6-agent-1", "k6-noagent-1"], "k6-noagent-1"),
        (["wrk_otlp", "wrk_none", "wrk_apm"], "wrk_none"),
        (["results after", "results Before"], "results Before"),
        (["none_c8_t8", "otlp_c8_t8"], "none_c8_t8"),
    ],
)
def test_names_of_an_earlier_side_are_used_if_none_is_usual(variants: list[str], name: str) -> None:
    assert choose_baseline(variants) == name


def test_first_named_file_takes_precedence_over_an_earlier_side() -> None:
    assert choose_baseline(["new", "old"], first="new") == "new"


@pytest.mark.parametrize(
    "variants",
    [
        ["a", "b"],
        ["none", "base"],
        ["old", "before"],
        [],
        ["no-a-x", "no-b-x"],
        ["otel-off-x", "otel-base-x"],
        ["a-none", "b-otlp"],
    ],
)
def test_baseline_is_required_otherwise(variants: list[str]) -> None:
    with pytest.raises(BaselineError, match="--baseline"):
        choose_baseline(variants)


def test_baselines_differing_only_in_case_are_refused_with_a_remedy() -> None:
    with pytest.raises(BaselineError, match="Baseline and baseline differ only in case") as raised:
        choose_baseline(["Baseline", "baseline", "OTel_Enabled"])
    assert "is not a variant, exclude its files with --exclude" in raised.value.hint
    assert raised.value.options == ("--baseline", "Baseline")


def test_very_many_variants_are_counted_without_a_baseline() -> None:
    with pytest.raises(BaselineError) as raised:
        choose_baseline([f"v{number}" for number in range(30)])
    assert raised.value.hint.endswith("v10, v11 and 18 more")
    assert "or give fewer files" in raised.value.hint
