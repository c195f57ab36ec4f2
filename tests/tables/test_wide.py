"""`compare --wide`: a row per variant, each value with spread and change, checked by hand."""

from __future__ import annotations

import csv
import re
from io import StringIO
from pathlib import Path
from statistics import mean, median, stdev

import pytest
from invocation import benchkit

import benchkit.api as bk
from benchkit.tables.wide import wide_table

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WRK, COSTS = FIXTURES / "tracing-wrk", FIXTURES / "tracing-costs"
#: Student's t at 97.5 % with 7 degrees of freedom, from printed tables.
T7 = 2.364624


def read_rates(variant: str) -> list[float]:
    texts = [path.read_text() for path in (WRK / variant).glob("wrk-?.txt")]
    return [float(re.findall(r"Requests/sec: +([\d.]+)", text)[0]) for text in texts]


def test_value_is_the_median_with_half_the_interval_of_the_mean(tmp_path: Path) -> None:
    result = benchkit("compare", str(WRK), "--wide", "--format", "csv", cwd=tmp_path)
    rows = {row["variant"]: row for row in csv.DictReader(StringIO(result.stdout))}
    assert [*rows] == ["none", "apm", "otlp", "skywalking", "zipkin"]
    for variant, row in rows.items():
        rates = read_rates(variant)
        assert float(row["request_rate.mean"]) == pytest.approx(median(rates))
        half = T7 * stdev(rates) / 8**0.5
        assert float(row["request_rate.mean_spread"]) == pytest.approx(
            half / median(rates), rel=1e-6
        )
        assert mean(rates) == pytest.approx(median(rates), rel=0.02)
        assert row["runs"] == "8"
    compared = bk.load(WRK).compare().frame.query("primary").set_index("variant")
    changes = {name: row["request_rate.mean_change"] for name, row in rows.items()}
    assert changes.pop("none") == ""
    for variant, change in changes.items():
        assert float(change) == pytest.approx(compared.ratio[variant] - 1)


def test_service_cpu_memory_and_cpu_per_request_are_columns() -> None:
    compared = bk.load(COSTS).compare(baseline="none", variant="otlp")
    table = wide_table(compared.wide, compared.verdicts)
    assert [column.title for column in table.columns] == [
        "variant",
        "requests",
        "requests/s",
        "mean latency, µs",
        "median latency, µs",
        "p75 latency, µs",
        "p90 latency, ms",
        "p99 latency, ms",
        "maximum latency, ms",
        "CPU, cores",
        "memory, MiB",
        "CPU/request, µs",
        "runs",
    ]
    none, otlp = [[re.sub(r"\s", " ", cell.label) for cell in row] for row in table.rows]
    assert none[:3] == ["none", "158 505 ± 1.6 %", "10 531 ± 1.6 %"]
    assert otlp[:3] == ["otlp", "137 658 ± 1.5 %", "▲ 9173 ± 1.5 % (−13.1 %)"]
    assert otlp[11] == "▲ 99.5 ± 1.7 % (+17.3 %)"


def test_one_run_per_side_has_no_spread(tmp_path: Path) -> None:
    files = [str(WRK / variant / "wrk-1.txt") for variant in ("none", "otlp")]
    result = benchkit("compare", *files, "--wide", "--format", "md", cwd=tmp_path)
    line = next(line for line in result.stdout.splitlines() if line.startswith("| otlp"))
    assert "±" not in line
    assert "%)" in line


def test_json_has_every_row_without_the_option(tmp_path: Path) -> None:
    result = benchkit("compare", str(WRK), "--wide", "--format", "json", cwd=tmp_path)
    assert result.returncode == 2
    assert "use table, md, csv" in result.stderr


@pytest.mark.parametrize(("cpus", "shown"), [("4", "22.4 ± 0.4 %"), ("", None)])
def test_cpu_is_a_share_of_the_machine_if_its_cpus_are_recorded(
    cpus: str, shown: str | None
) -> None:
    loaded = bk.load(COSTS)
    for env in loaded.runs["env"]:
        env["machine.cores"] = cpus
    compared = loaded.compare(baseline="none", variant="otlp")
    table = wide_table(compared.wide, compared.verdicts)
    titles = [column.title for column in table.columns]
    assert ("CPU of machine, %" in titles) is bool(cpus)
    if shown:
        cell = table.rows[0][titles.index("CPU of machine, %")]
        assert re.sub(r"\s", " ", cell.label) == shown


def test_report_has_a_row_for_each_selected_variant(tmp_path: Path) -> None:
    options = ("--baseline", "none", "--variant", "otlp")
    for form in ("md", "html"):
        result = benchkit("report", str(WRK), *options, "-o", f"r.{form}", cwd=tmp_path)
        assert result.returncode == 0
        text = re.sub(r"\s", " ", (tmp_path / f"r.{form}").read_text())
        assert "9173 ± 1.5 % (−13.1 %)" in text
        section = text.split("Variants and metrics", 1)[1].split("</table>")[0].split("Latency")[0]
        assert "zipkin" not in section


def test_value_opposite_to_its_change_has_a_footnote() -> None:
    loaded = bk.load(FIXTURES / "skywalking-vegeta").where(variant=["no-agent", "agent"])
    compared = loaded.compare()
    table = wide_table(compared.wide, compared.verdicts)
    at = [column.key for column in table.columns].index("latency.mean")
    base, agent = (row[at] for row in table.rows)
    assert (agent.value or 0) > (base.value or 0)
    assert "−" in agent.text
    assert table.notes[agent.notes[0] - 1].startswith("the medians differ in the opposite")


def test_value_of_fewer_runs_than_its_row_is_marked(tmp_path: Path) -> None:
    results = FIXTURES / "skywalking-vegeta"
    compared = bk.load(results).compare(baseline="no-agent", variant="agent")
    table = wide_table(compared.wide, compared.verdicts)
    at = next(n for n, column in enumerate(table.columns) if column.title.startswith("p75"))
    for row in table.rows:
        assert row[-1].text == "3"
        assert "from 1 of 3 runs" in [table.notes[note - 1] for note in row[at].notes]
        assert not any("from 1" in table.notes[n - 1] for each in row[:at] for n in each.notes)
    result = benchkit("compare", str(results), "--wide", "--format", "csv", cwd=tmp_path)
    first = next(csv.DictReader(StringIO(result.stdout)))
    assert (first["runs"], first["latency.p75_runs"], first["latency.p90_runs"]) == ("3", "1", "3")
