"""The spans table of counts from a sidecar shows only what these counts can prove."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.derived.accounts import Account, list_accounts
from benchkit.derived.record import list_measured
from benchkit.tables.spans import describe_spans, spans_tables

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-costs" / "otlp" / "wrk-1.txt"
REQUESTS = 139642


def account(folder: Path, **spans: int) -> list[Account]:
    (folder / "otlp").mkdir()
    shutil.copy(WRK, folder / "otlp" / "wrk-1.txt")
    lines = "".join(f"{name} = {value}\n" for name, value in spans.items())
    (folder / "otlp" / "run.toml").write_text(f"[spans]\n{lines}")
    runs = bk.load(folder)
    accounts = list_accounts(runs.observations, list_measured(runs.runs))
    assert len(accounts) == 1
    return accounts


def row(accounts: list[Account]) -> dict[str, str]:
    table = next(iter(spans_tables(accounts, {})))
    (cells,) = table.rows
    return {
        column.key: cell.text.replace("\N{NARROW NO-BREAK SPACE}", "").replace("\xa0", "")
        for column, cell in zip(table.columns, cells, strict=True)
    }


@pytest.mark.parametrize(("per_request", "saved"), [(4, 5 * REQUESTS), (3, 3 * REQUESTS + 3000)])
def test_surplus_hides_losses(tmp_path: Path, per_request: int, saved: int) -> None:
    accounts = account(tmp_path, per_request=per_request, saved=saved)
    cells = row(accounts)
    assert (cells["dropped"], cells["share"], cells["how"]) == ("–", "–", "–")
    assert (cells["saved"], cells["traces"]) == (str(saved), "unknown")
    (sentence,) = describe_spans(accounts)
    assert (
        sentence
        == "More spans were saved than created in otlp, so the number of lost spans is unknown."
    )


def test_probe_before_the_load_is_not_a_surplus(tmp_path: Path) -> None:
    accounts = account(tmp_path, per_request=3, saved=3 * REQUESTS + 3)
    assert row(accounts)["dropped"] == "0"
    assert describe_spans(accounts) == ("No spans were lost in otlp.",)


def test_single_lossy_run_suppresses_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "otlp").mkdir()
    for run in (1, 2, 3):
        path = tmp_path / "otlp" / f"wrk-{run}.txt"
        path.write_text(re.sub(r"(Transfer/sec: +)\d", rf"\g<1>{run}", WRK.read_text()))
        saved = 3 * (REQUESTS - (run == 3))
        sidecar = path.with_name(f"{path.name}.run.toml")
        sidecar.write_text(f"[spans]\nper_request = 3\nsaved = {saved}\n")
    runs = bk.load(tmp_path)
    accounts = list_accounts(runs.observations, list_measured(runs.runs))
    assert sorted(a.dropped or 0.0 for a in accounts) == [0, 0, 3]
    assert describe_spans(accounts) == ()


def test_uncounted_spans_are_not_shown_as_created(tmp_path: Path) -> None:
    saved, dropped = 2 * REQUESTS, REQUESTS // 2
    accounts = account(tmp_path, per_request=3, saved=saved, dropped=dropped)
    cells = row(accounts)
    assert (cells["created"], cells["expected"]) == ("–", str(3 * REQUESTS))
    assert cells["rest"] == str(3 * REQUESTS - saved - dropped)
    assert accounts[0].share == dropped / (3 * REQUESTS)


def test_saved_and_dropped_spans_count_as_made_if_requests_imply_fewer(tmp_path: Path) -> None:
    accounts = account(tmp_path, per_request=3, saved=3 * REQUESTS, dropped=REQUESTS)
    assert (accounts[0].created, accounts[0].made) == (None, 4 * REQUESTS)
    assert (accounts[0].share, accounts[0].unaccounted) == (0.25, 0.0)


def test_no_traces_without_saved_spans(tmp_path: Path) -> None:
    made = 3 * REQUESTS
    accounts = account(tmp_path, per_request=3, created=made, saved=0, dropped=made)
    assert row(accounts)["traces"] == "none"


def test_sentence_states_the_requests_handled_by_the_server() -> None:
    comparison = bk.load("fixtures/shorturl-costs").compare()
    lines = comparison.parts["spans"].lines
    assert lines[-1] == "The server handled 1.000 requests per client request in all runs of otel."
    assert list(comparison.findings_frame.code) == [each.code for each in comparison.findings]
