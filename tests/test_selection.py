"""A selection says what there is; a baseline is told from names only where they tell it."""

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
    ("labels", "says"),
    [
        ({"variant": "olpt"}, "did you mean 'otlp'? known: none, otlp"),
        ({"varian": "none"}, "the columns are variant, metric"),
    ],
)
def test_a_name_that_does_not_occur_is_answered_with_those_that_do(
    labels: dict[str, str], says: str
) -> None:
    with pytest.raises(SelectionError) as refused:
        select(frame(), **labels)
    assert says in str(refused.value)


def test_known_names_beyond_those_listed_are_counted() -> None:
    with pytest.raises(SelectionError, match=r"known: B0, B1, .*, B11 and 48 more$"):
        require("Q*", [f"B{number}" for number in range(60)], "benchmark")


@pytest.mark.parametrize("name", ["none", "Baseline", "MAIN", "no-agent", "off"])
def test_a_telling_name_is_the_baseline(name: str) -> None:
    assert choose_baseline(["otlp", name, "zipkin"]) == name


def test_the_users_word_stands_above_names() -> None:
    assert choose_baseline(["none", "otlp"], "otlp") == "otlp"


def test_the_first_named_file_is_the_baseline_where_names_do_not_tell() -> None:
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
def test_names_of_the_earlier_side_tell_where_none_is_usual(variants: list[str], name: str) -> None:
    assert choose_baseline(variants) == name


def test_the_first_named_file_stands_above_the_name_of_an_earlier_side() -> None:
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
def test_otherwise_it_is_asked_for(variants: list[str]) -> None:
    with pytest.raises(BaselineError, match="--baseline"):
        choose_baseline(variants)


def test_baselines_that_differ_in_case_only_are_said_to_with_the_way_out() -> None:
    with pytest.raises(BaselineError, match="Baseline and baseline differ only in case") as told:
        choose_baseline(["Baseline", "baseline", "OTel_Enabled"])
    assert "is not a variant, exclude its files with --exclude" in told.value.hint
    assert told.value.options == ("--baseline", "Baseline")


def test_very_many_variants_are_counted_where_no_baseline_can_be_told() -> None:
    with pytest.raises(BaselineError) as told:
        choose_baseline([f"v{number}" for number in range(30)])
    assert told.value.hint.endswith("v10, v11 and 18 more")
    assert "or give fewer files" in told.value.hint
