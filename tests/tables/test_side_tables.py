"""Tables next to a comparison: resources, spans and sweeps, cell by cell."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

import benchkit.api as bk
from benchkit.cli.console import render_tables
from benchkit.tables.derived import follow
from benchkit.tables.model import Table

if TYPE_CHECKING:
    from conftest import Golden

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SCENARIOS = (
    "tracing-costs",
    "nginx-ab/nginx",
    "skywalking-costs",
    "shorturl-costs",
    "shorturl-k6",
    "redis-gobench",
)


@cache
def compared(name: str) -> bk.Comparison:
    runs = bk.load(FIXTURES / name)
    known = {"redis-gobench": "Baseline"}
    return runs.compare(baseline=known.get(name))


def table(name: str, title: str) -> list[dict[str, Any]]:
    titled: list[Table] = [
        each for part in compared(name).parts.values() for each in (*part.tables, *part.folded)
    ]
    (selected,) = [each for each in titled if each.title == title]
    return rows_of(selected)


def rows_of(conditions: Table) -> list[dict[str, Any]]:
    keys = [column.key for column in conditions.columns]
    return [
        {
            key: cell.text if cell.value is None else cell.value
            for key, cell in zip(keys, row, strict=True)
        }
        for row in conditions.rows
    ]


@pytest.mark.parametrize("name", SCENARIOS)
def test_tables_of_each_scenario(name: str, golden: Golden) -> None:
    lines: list[str] = []
    for part in compared(name).parts.values():
        prose = [part.missing] if part.missing else list(part.lines)
        shown = render_tables([part.title, *prose], (*part.tables, *part.folded), to_file=True)
        lines.append(shown)
    golden.check(f"beside/{name.partition('/')[0]}.txt", "\n".join(lines))


def test_cpu_per_request_is_cores_divided_by_rate_per_run() -> None:
    observations = compared("tracing-costs").observations
    assert observations is not None
    rows = observations[observations["variant"] == "zipkin"]

    def values(metric: str, subject: str | None) -> list[float]:
        selected = rows[(rows["metric"] == metric) & (rows["stat"] == "mean")]
        selected = selected[
            selected["subject"].isna() if subject is None else selected["subject"] == subject
        ]
        return [float(v) for v in selected.sort_values("run")["value"].tolist()]

    cores, rates = values("cpu_usage", "/bench/server"), values("request_rate", None)
    by_hand = median(c / r for c, r in zip(cores, rates, strict=True))
    costs = {
        row["variant"]: row for row in table("tracing-costs", "CPU per request of the service")
    }
    assert costs["zipkin"]["cpu"] == pytest.approx(by_hand)
    assert costs["zipkin"]["extra"] == pytest.approx(by_hand - costs["none"]["cpu"])
    assert costs["zipkin"]["span"] == pytest.approx((by_hand - costs["none"]["cpu"]) / 4)
    assert costs["zipkin"]["wait"] == pytest.approx(median(8 / rate for rate in rates))


def test_in_band_and_out_of_band_add_up() -> None:
    for row in table("tracing-costs", "CPU per request of the service")[1:]:
        assert row["inside"] + row["outside"] == pytest.approx(row["extra"])
        assert 0 <= row["inside"] <= row["extra"]


def test_cheaper_request_is_reported() -> None:
    results = bk.load(FIXTURES / "tracing-costs").where(variant=["none", "zipkin"])
    resources = results.compare(baseline="zipkin").parts["resources"]
    line = resources.lines[0].replace("\N{NO-BREAK SPACE}", " ")
    assert line.startswith(
        "CPU of the service per request, compared with zipkin: none 17.7 µs less (−17.9 %"
    )
    (row,) = [r for r in rows_of(resources.tables[0]) if r["variant"] == "none"]
    assert (row["inside"], row["outside"], row["known"]) == ("–", "–", "–")


def test_single_run_has_no_interval_with_a_note() -> None:
    results = bk.load(FIXTURES / "tracing-costs").where(variant=["none", "apm"], run=1)
    resources = results.compare(baseline="none").parts["resources"]
    assert resources.lines[0].endswith("more (no interval with 1 run per side).")
    (row,) = [r for r in rows_of(resources.tables[0]) if r["variant"] == "apm"]
    assert row["known"] == "none: 1 run on a side"
    assert resources.tables[1].notes == ("1 run per side: direction only",)


def test_few_runs_name_their_method_in_every_resource_table() -> None:
    primary, exploratory = compared("skywalking-costs").parts["resources"].tables
    assert [note.split(", valid")[0] for note in primary.notes] == [
        "Welch's test with conservative degrees of freedom"
    ]
    assert exploratory.notes == (
        "2 or 3 runs on a side: Welch's test; it assumes a log-normal distribution of the runs",
    )


def test_spans_of_a_one_sided_backend_are_not_compared() -> None:
    runs = bk.load(FIXTURES / "tracing-costs")
    assert runs.compare(metrics=["spans_saved"]).verdict.startswith(
        "~ No verdict: the two sides have no primary metric"
    )


def test_container_at_its_limit_is_named(tmp_path: Path) -> None:
    for variant in ("none", "otlp"):
        (tmp_path / variant).mkdir()
        for file in ("wrk-1.txt", "cadvisor-v13-1.json.gz"):
            shutil.copy(FIXTURES / "tracing-costs" / variant / file, tmp_path / variant / file)
    shutil.copy(FIXTURES / "tracing-costs" / "runs.json", tmp_path)
    (tmp_path / "run.toml").write_text("[limits]\nserver = {cpu = 0.94}\n")
    part = bk.load(tmp_path).compare(baseline="none").parts["resources"]
    (line,) = [line for line in part.lines if "limit" in line]
    assert line == "At the CPU limit (at least 95 % of it): /bench/server in otlp."


def test_json_contains_the_tables() -> None:
    from benchkit.reporting.to_json import to_json

    comparison = compared("tracing-costs")
    document = json.loads(to_json(comparison.verdicts, comparison.findings, comparison.parts))
    assert set(document["tables"]) == {"resources", "spans"}
    rows = document["tables"]["spans"][1]["rows"]
    (row,) = [row for row in rows if (row["variant"], row["run"]) == ("otlp", 1)]
    assert (row["created"], row["saved"], row["dropped"]) == (558587, 121344, 437243)


def test_other_metrics_exclude_those_shown_separately() -> None:
    from benchkit.tables.overhead import exploratory_tables
    from benchkit.tables.resources import SHOWN

    verdicts = compared("tracing-costs").verdicts
    every, rest = exploratory_tables(verdicts), exploratory_tables(verdicts, without=SHOWN)
    assert sum(len(each.rows) for each in rest) < sum(len(each.rows) for each in every)


def test_lost_spans_are_shown_with_the_verdict() -> None:
    comparison = bk.load(FIXTURES / "tracing-costs").compare(baseline="none")
    caveat = comparison.parts["spans"].caveat
    assert caveat.startswith("More than half of all spans were lost in every traced variant")
    assert caveat in follow(comparison.verdicts, comparison.parts)
    for form in ("html", "md"):
        assert caveat[:60] in comparison.render(form)
    assert caveat in str(comparison)
