"""Span accounts equal the notes of the capture, run by run."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.derived.accounts import COUNTED, COUNTERS, DERIVED, SIDECAR, Account, list_accounts
from benchkit.derived.record import list_measured

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
COSTS = FIXTURES / "tracing-costs"

#: variant, run, started, saved, dropped, share in percent; noted when the runs were measured.
NOTED = (
    ("otlp", 1, 558587, 121344, 437243, "78.28"),
    ("otlp", 2, 556516, 120832, 435684, "78.29"),
    ("otlp", 3, 562411, 120832, 441579, "78.52"),
    ("otlp", 4, 558535, 120832, 437703, "78.37"),
    ("otlp", 5, 544795, 121344, 423451, "77.73"),
    ("otlp", 6, 541530, 120832, 420698, "77.69"),
    ("otlp", 7, 535711, 120834, 414877, "77.44"),
    ("otlp", 8, 541698, 120832, 420866, "77.69"),
    ("zipkin", 1, 534798, 113664, 421134, "78.75"),
    ("zipkin", 2, 537719, 114688, 423031, "78.67"),
    ("zipkin", 3, 539032, 114176, 424856, "78.82"),
    ("zipkin", 4, 537526, 113664, 423862, "78.85"),
    ("zipkin", 5, 539323, 114392, 424931, "78.79"),
    ("zipkin", 6, 505680, 113122, 392558, "77.63"),
    ("zipkin", 7, 524832, 114176, 410656, "78.25"),
    ("zipkin", 8, 513492, 113763, 399729, "77.85"),
    ("apm", 1, 628504, 136046, 494426, "78.67"),
    ("apm", 2, 660230, 135807, 526390, "79.73"),
    ("apm", 3, 643346, 135721, 509593, "79.21"),
    ("apm", 4, 641520, 135778, 507709, "79.14"),
    ("apm", 5, 624428, 135592, 490803, "78.60"),
    ("apm", 6, 619660, 135939, 485689, "78.38"),
    ("apm", 7, 656124, 135728, 522278, "79.60"),
    ("apm", 8, 619806, 135627, 486146, "78.44"),
    ("skywalking", 1, 559890, 160766, 370862, "66.24"),
    ("skywalking", 2, 562167, 160251, 381608, "67.88"),
    ("skywalking", 3, 570611, 161278, 389760, "68.31"),
    ("skywalking", 4, 560888, 160256, 388572, "69.28"),
    ("skywalking", 5, 576252, 160766, 395252, "68.59"),
    ("skywalking", 6, 557689, 160254, 380805, "68.28"),
    ("skywalking", 7, 552920, 160256, 377564, "68.29"),
    ("skywalking", 8, 548831, 160253, 367808, "67.02"),
)


def accounts(folder: Path) -> dict[tuple[str, int], Account]:
    runs = bk.load(folder)
    listed = list_accounts(runs.observations, list_measured(runs.runs))
    return {(account.run.variant, account.run.run): account for account in listed}


@cache
def accounts_of_capture() -> dict[tuple[str, int], Account]:
    return accounts(COSTS)


@pytest.mark.parametrize(("variant", "run", "created", "saved", "dropped", "share"), NOTED)
def test_account_equals_the_notes(
    variant: str, run: int, created: int, saved: int, dropped: int, share: str
) -> None:
    account = accounts_of_capture()[variant, run]
    assert (account.created, account.saved, account.dropped) == (created, saved, dropped)
    assert account.dropped_how == COUNTED
    assert account.share is not None
    assert f"{account.share:.2%}" == f"{share}%"
    assert (account.per_request, account.per_request_from) == (4, COUNTERS)
    assert account.expected == 4 * (account.requests or 0)
    assert account.unaccounted == created - saved - dropped


def test_untraced_variant_has_no_account() -> None:
    assert set(accounts_of_capture()) == {(variant, run) for variant, run, *_ in NOTED}


def test_incomplete_traces_are_detected_by_divisibility() -> None:
    whole, broken = accounts_of_capture()["otlp", 1], accounts_of_capture()["otlp", 7]
    assert (whole.saved, whole.has_incomplete_traces) == (121344, False)
    assert (broken.saved, broken.has_incomplete_traces) == (120834, True)
    assert broken.complete_at_most == 30208


def shares(folder: Path) -> list[float]:
    rows = bk.load(folder).observations
    return [float(v) for v in rows[rows["metric"] == "spans_dropped_share"]["value"].tolist()]


def test_dropped_share_is_a_row_of_the_table() -> None:
    assert len(shares(COSTS)) == 32


def copy(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(COSTS / name, folder / name)
    return folder


def test_drop_is_derived_from_spans_saved_in_a_sidecar(tmp_path: Path) -> None:
    copy(tmp_path, "otlp/wrk-1.txt")
    (tmp_path / "otlp" / "run.toml").write_text(
        '[spans]\nper_request = 4\nsaved = 121344\nsource = "a query of the store"\n'
    )
    (account,) = accounts(tmp_path).values()
    assert (account.per_request_from, account.dropped_how) == (SIDECAR, DERIVED)
    assert account.created is None
    assert account.dropped == 4 * 139642 - 121344
    assert account.source == "run.toml: a query of the store"
    assert shares(tmp_path) == [pytest.approx(437224 / 558568)]


def test_counts_of_a_sidecar_are_rows_of_the_table(tmp_path: Path) -> None:
    copy(tmp_path, "otlp/wrk-1.txt")
    counts = "created = 558568\nsaved = 0\ndropped = 437224\n"
    (tmp_path / "otlp" / "run.toml").write_text(f"[spans]\nper_request = 4\n{counts}")
    rows = bk.load(tmp_path).observations
    span_counts = rows[rows["metric"].isin(["spans_created", "spans_saved", "spans_dropped"])]
    columns = ["subject", "metric", "stat", "value", "origin", "source"]
    assert span_counts[columns].to_numpy().tolist() == [
        ["otlp", "spans_created", "count", 558568.0, "reported", "run.toml"],
        ["otlp", "spans_saved", "count", 0.0, "reported", "run.toml"],
        ["otlp", "spans_dropped", "count", 437224.0, "reported", "run.toml"],
    ]


def test_sidecar_takes_precedence_over_counters_and_keeps_the_rest(tmp_path: Path) -> None:
    copy(tmp_path, "otlp/wrk-1.txt", "otlp/spans-1.prom")
    (tmp_path / "otlp" / "run.toml").write_text("[spans]\nsaved = 121000\n")
    (account,) = accounts(tmp_path).values()
    assert (account.backend, account.created, account.saved) == ("otlp", 558587, 121000)
    assert (account.dropped, account.dropped_how) == (437243, COUNTED)


def test_fractional_number_of_spans_per_request_is_a_finding(tmp_path: Path) -> None:
    copy(tmp_path, "otlp/wrk-1.txt")
    (tmp_path / "otlp" / "run.toml").write_text("[spans]\nsaved = 121344\n")
    runs = bk.load(tmp_path)
    (finding,) = [problem for problem in runs.problems if problem.code == "B420"]
    assert "run 1 of 'otlp'" in finding.message
    assert shares(tmp_path) == []


LOG = """\
2026/11/20 23:56:23 Exported {} spans in 59 batches
2026/11/20 23:56:23 Processed {} requests
"""


def test_log_of_another_benchmark_is_not_counted(tmp_path: Path) -> None:
    source = FIXTURES / "shorturl-k6" / "baseline"
    (tmp_path / "otel").mkdir()
    for name in ("k6-1.txt", "k6-full-1.txt"):
        shutil.copy(source / name, tmp_path / "otel" / name)
    (tmp_path / "otel" / "server-1.log").write_text(LOG.format(30004, 15002))
    (tmp_path / "otel" / "server-k6-full-1.log").write_text(LOG.format(10004, 5002))
    runs = bk.load(tmp_path)
    by_benchmark = {
        (account.run.benchmark, account.backend): (account.saved, account.created)
        for account in list_accounts(runs.observations, list_measured(runs.runs))
    }
    assert by_benchmark == {
        ("", "exporter"): (30004, None),
        ("", "agent"): (None, 15002),
        ("full", "exporter"): (10004, None),
        ("full", "agent"): (None, 5002),
    }


def test_cpu_per_span_is_cpu_of_the_service_divided_by_its_spans() -> None:
    rows = bk.load(COSTS).observations
    rows = rows[(rows["variant"] == "otlp") & (rows["run"] == 1)]
    values = {
        (metric, subject): value
        for metric, subject, value in zip(
            rows["metric"].tolist(), rows["subject"].tolist(), rows["value"].tolist(), strict=True
        )
    }
    server = values["cpu_per_span", "/bench/server"]
    assert server == pytest.approx(values["cpu_per_request", "/bench/server"] / 4, rel=0.001)
    assert values["cpu_per_span", "/bench/collector"] > 0
    assert ("cpu_per_span", "/bench/storage") not in values


def test_inconsistent_counts_make_no_statement_about_traces() -> None:
    runs = bk.load(FIXTURES / "tracing-costs").compare(baseline="none")
    table, *_ = runs.parts["spans"].tables
    keys = [column.key for column in table.columns]
    shown = {row[keys.index("variant")].text: row[keys.index("traces")].text for row in table.rows}
    findings = {f.where.split(" on ")[0]: f.message for f in runs.findings if f.code == "B421"}
    assert {"apm", "skywalking"} == {v for v, text in shown.items() if text == "unknown"}
    incomplete = {
        v: text.removeprefix("incomplete in ") for v, text in shown.items() if v in findings
    }
    assert incomplete
    assert all(f"; {count} affected)" in findings[v] for v, count in incomplete.items())
    lines = " ".join(runs.parts["spans"].lines)
    assert f"Incomplete traces were saved in {', '.join(incomplete)}:" in lines
