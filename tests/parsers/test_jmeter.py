"""JMeter's JTL and aggregate report: milliseconds, one run per file, labels and the total."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers import registry, requestlog
from benchkit.parsers.base import Reading, Samples, Source
from benchkit.parsers.jmeter import AGGREGATE, JTL

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/jmeter"
HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes,allThreads,Connect\n"


class Result:
    def __init__(self, data: bytes | Path, form: object = JTL) -> None:
        source = Source.load(data) if isinstance(data, Path) else Source(None, "x", data)
        records = list(form.parse(source))  # type: ignore[attr-defined]
        self.runs = [each for each in records if isinstance(each, Reading)]
        self.samples = [each for each in records if isinstance(each, Samples)]
        self.problems = [str(each) for each in records if isinstance(each, Diagnostic)]

    def values(self) -> dict[tuple[str | None, str, str], float]:
        return {row[:3]: row[3] for row in self.runs[0].rows}

    def times(self) -> dict[tuple[str, str | None], list[float]]:
        actual: dict[tuple[str, str | None], list[float]] = {}
        for each in self.samples:
            actual.setdefault((each.metric, each.subject), []).extend(each.values.tolist())
        return actual


def read(text: str) -> Result:
    return Result(text.encode())


def test_file_is_a_run_with_the_rate_from_first_start_to_last_end() -> None:
    result = read(
        HEADER + "1700000000000,250,a,200,OK,true,100,1,7\n"
        '1700000001000,1000,b,500,"no,\nway",false,50,2,0\n'
    )
    assert not result.problems
    (run,) = result.runs
    assert result.values() == {
        (None, "requests", "count"): 2.0,
        (None, "request_rate", "mean"): 1.0,
        (None, "duration", "total"): 2.0,
        (None, "bytes_in", "total"): 150.0,
        (None, "failures", "count"): 1.0,
        (None, "error_rate", "mean"): 0.5,
        ("200", "responses", "count"): 1.0,
        ("500", "responses", "count"): 1.0,
    }
    assert (run.connections, run.duration, run.status) == (2, 2.0, "complete")
    assert run.started_at is not None
    assert run.started_at.isoformat() == "2023-11-14T22:13:20+00:00"
    assert result.times() == {
        ("latency", None): [0.25, 1.0],
        ("latency", "a"): [0.25],
        ("latency", "b"): [1.0],
        ("phase_time", "connect"): [0.007, 0.0],
    }
    assert result.samples[0].lines.tolist() == [2, 3] or result.samples[1].lines.tolist() == [2, 3]


@pytest.mark.parametrize("is_other", [False, True])
def test_second_header_starts_a_second_run(is_other: bool) -> None:
    """Both were one run with twice the requests in the time of one."""
    other = HEADER.replace("elapsed,label", "label,elapsed") if is_other else HEADER
    result = read(
        HEADER
        + "1700000000000,250,a,200,OK,true,100,1,7\n" * 2
        + other
        + f"1700000500000,{'a,1000' if is_other else '1000,a'},200,OK,true,100,2,7\n"
    )
    assert not result.problems
    assert result.values()[None, "request_rate", "mean"] == 8.0
    assert [run.duration for run in result.runs] == [0.25, 1.0]
    assert [(run.line, run.last_line) for run in result.runs] == [(1, 3), (4, 5)]
    totals = [each for each in result.samples if (each.metric, each.subject) == ("latency", None)]
    assert [each.values.tolist() for each in totals] == [[0.25, 0.25], [1.0]]
    assert [each.reading for each in totals] == result.runs


def test_runs_joined_in_the_wrong_order_have_no_rate() -> None:
    orders = ((4, 0), (8, 4, 0), (4, 8, 0), (0, 8, 4))
    for order in orders:
        text = "".join(rows(*range(at * 1000, at * 1000 + 1000, 40)) for at in order)
        result = read(HEADER + text)
        (problem,) = result.problems
        assert "no request ran for " in problem
        assert (None, "request_rate", "mean") not in result.values(), order
    (problem,) = read(HEADER + rows(4000, *range(0, 1000, 30))).problems
    assert "x:2: no request ran for 3.0 s" in problem


def rows(*starts: int, time: int = 50) -> str:
    return "".join(f"{17 * 10**11 + start},{time},a,200,OK,true,1,1,0\n" for start in starts)


def test_run_appended_without_a_header_is_reported() -> None:
    """The pause between them silently lowered the rate of one run."""
    runs = rows(*range(0, 1000, 40)) + rows(*range(4000, 5000, 40))
    result = read(HEADER + runs)
    (problem,) = result.problems
    assert "x:27: no request ran for 3.0 s before this row (1 of 1 such" in problem
    assert (None, "request_rate", "mean") not in result.values()
    assert result.values()[None, "duration", "total"] == 5.01
    sample = '<sample ts="{}" t="50" s="true" lb="a"/>\n'
    samples = "".join(sample.format(row.split(",")[0]) for row in runs.splitlines())
    (problem,) = read(f"<testResults>\n{samples}</testResults>\n").problems
    assert "x:27: no request ran for 3.0 s" in problem


@pytest.mark.parametrize(
    "text",
    [
        rows(*range(0, 600_000, 10_000)),
        rows(*(round(1.1**step * 20_000) for step in range(50))),
        rows(*(start + step for start in range(0, 600_000, 60_000) for step in range(0, 900, 50))),
        rows(*range(0, 1000, 40)) + rows(*range(4000, 5000, 40)) + rows(900, time=3200),
    ],
    ids=["paced", "ever slower", "bursts", "a slow request"],
)
def test_test_with_pauses_is_one_run(text: str) -> None:
    assert not read(HEADER + text).problems


def test_response_codes_show_failures_without_a_success_column() -> None:
    rows = (
        "1700000000000,250,a,200\n1700000000500,250,a,503\n"
        "1700000000750,250,a,Non HTTP response code: java.net.ConnectException\n"
    )
    result = read("timeStamp,elapsed,label,responseCode\n" + rows)
    (problem,) = result.problems
    assert "has no column success" in problem
    assert "response codes" in problem
    assert result.runs[0].status == "complete"
    assert result.times()["latency", None] == [0.25] * 3
    values = result.values()
    assert (values[None, "failures", "count"], values[None, "requests", "count"]) == (2.0, 3.0)


def test_failures_are_unknown_without_success_and_codes() -> None:
    text = b"timeStamp,elapsed,label\n1700000000000,250,a\n1700000000500,500,a\n"
    assert JTL in registry.identify(Source(None, "x", text))
    result = Result(text)
    (problem,) = result.problems
    assert "cannot be told" in problem
    assert {row[1] for row in result.runs[0].rows} == {"requests", "request_rate", "duration"}
    assert result.values()[None, "request_rate", "mean"] == 2.0


def test_transactions_count_only_for_their_label() -> None:
    result = read(
        HEADER + "1700000000000,250,a,200,OK,true,100,1,7\n"
        '1700000000000,250,t,,"Number of samples in transaction : 1, number of failing samples : 0"'
        ",true,100,1,0\n"
    )
    assert result.values()[None, "requests", "count"] == 1.0
    assert result.times()["latency", "t"] == [0.25]
    assert result.times()["latency", None] == [0.25]


def test_blocks_are_joined_and_a_single_label_is_the_total(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(requestlog, "_BLOCK", 2)
    lines = "".join(f"17000000{i:05d},{i},a,200,OK,true,1,1,0\n" for i in range(7))
    result = read(HEADER + lines)
    assert result.times().keys() == {("latency", None), ("phase_time", "connect")}
    assert result.times()["latency", None] == [i / 1000 for i in range(7)]
    assert result.values()[None, "requests", "count"] == 7.0


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters_are_read(delimiter: str) -> None:
    text = HEADER + "1700000000000,250,a,200,OK,true,100,1,7\n"
    text = text.replace(",", delimiter)
    assert JTL.recognises(Source(None, "a.jtl", text.encode()).head())
    assert read(text).times()["latency", None] == [0.25]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1700000000000,250,a,200,OK,t 1-1,text,true,,100\n", "has no header"),
        ("a,b\n1,2\n", "does not name the columns"),
        (HEADER, "has no samples"),
        (HEADER + "1700000000000,x,a,200,OK,true,100,1,7\n", "has no valid time"),
        (HEADER + "1700000000000,-1,a,200,OK,true,100,1,7\n", "has no valid time"),
        (HEADER + "1700000000000,1,a,200,OK,maybe,100,1,7\n", "has no valid time"),
        (HEADER + "1700000000000,1\n", "2 cells, but the header has 9"),
        (HEADER + "1700000000000,1,a,200,OK,true,100,1,7", "no line end"),
        (HEADER + "11/12/23 22:13:20,1,a,200,OK,true,100,1,7\n", "no rate"),
        (HEADER + "2023/13/14 22:13:20,1,a,200,OK,true,100,1,7\n", "no rate"),
    ],
)
def test_unreadable_input_is_reported(text: str, message: str) -> None:
    result = read(text)
    assert any(message in problem for problem in result.problems)
    assert (None, "request_rate", "mean") not in (result.values() if result.runs else {})


@pytest.mark.parametrize(
    ("first", "last", "step"),
    [
        ("2023/11/14 22:13:20.000", "2023/11/14 22:13:28.000", None),
        ('"2023-11-14 22:13:20,000"', '"2023-11-14 22:13:28,000"', None),
        ("2023-11-14T22:13:20", "2023-11-14T22:13:28", 0.02),
    ],
)
def test_times_as_dates_give_a_rate(first: str, last: str, step: float | None) -> None:
    rows = (f"{start},2000,a,200,OK,true,100,1,7\n" for start in (first, last))
    result = read(HEADER + "".join(rows))
    assert not result.problems
    assert result.values()[None, "request_rate", "mean"] == 0.2
    steps = {row[1]: row[7] for row in result.runs[0].rows}
    assert steps["request_rate"] == step
    assert str(result.runs[0].started_at) == "2023-11-14 22:13:20+00:00"


def test_number_of_labels_is_limited() -> None:
    lines = "".join(f"17000000{i:05d},5,a{i},200,OK,true,1,1,0\n" for i in range(300))
    result = read(HEADER + lines)
    assert len(result.times()) == 102
    assert any("more than 100 labels" in problem for problem in result.problems)


def test_the_aggregate_report_gives_labels_and_total() -> None:
    result = Result(
        b"Label,# Samples,Average,Median,90% Line,95% Line,99% Line,Min,Max,Error %,Throughput,"
        b"Received KB/sec,Sent KB/sec\n"
        b"HTTP Request,10,328,300,350,360,370,12,371,0.000%,3.04878,1.71,0.66\n"
        b'"TOTAL",10,328,300,350,360,370,12,371,"5,00%",3.04878,1.5,0.66\n',
        AGGREGATE,
    )
    assert not result.problems
    values = result.values()
    assert values[None, "request_rate", "mean"] == 3.04878
    assert values[None, "latency", "p90"] == 0.35
    assert values["HTTP Request", "latency", "max"] == 0.371
    assert values[None, "error_rate", "mean"] == 0.05
    assert values[None, "bandwidth_in", "mean"] == 1536.0


def test_aggregate_report_without_a_total_is_partial() -> None:
    header = b"sampler_label,aggregate_report_count,average\n"
    result = Result(header + b"a,2,5\nb,2,5\na,3,6\n", AGGREGATE)
    assert result.runs[0].status == "partial"
    assert result.values()["a", "requests", "count"] == 2.0
    assert ["appears twice" in each or "no row TOTAL" in each for each in result.problems] == [
        True,
        True,
    ]


def test_failed_requests_and_transactions_of_a_real_file() -> None:
    result = Result(FIXTURES.parent / "jmeter-forms/failing.jtl")
    assert not result.problems
    values = result.values()
    assert values[None, "requests", "count"] == 21.0
    assert values["404", "responses", "count"] == 10.0
    assert result.times().keys() >= {("latency", "order"), ("latency", "list, all")}


def test_two_variants_compare_by_requests_per_second() -> None:
    comparison = load(FIXTURES).compare(baseline="none", variant="otlp")
    (verdict,) = comparison.verdicts.primary
    assert (verdict.contrast.metric, verdict.word) == ("request_rate", "regression")


def test_file_without_a_header_has_the_default_columns() -> None:
    row = "1700000000000,250,a,200,OK,t 1-1,text,true,100,1,7,42\n"
    result = read(row + row.replace(",250,", ",350,"))
    (problem,) = result.problems
    assert "its 12 columns are read as JMeter 2.12's defaults" in problem
    assert result.times()["latency", None] == [0.25, 0.35]
    assert result.times()["phase_time", "wait"] == [0.042, 0.042]
    assert result.values()[None, "bytes_in", "total"] == 200.0
    assert result.runs[0].connections == 7


def sample(attributes: str, inner: str = "") -> str:
    return f'<httpSample ts="1700000000000" s="true" lb="a" {attributes}>{inner}</httpSample>\n'


def test_xml_samples_are_read_without_their_contents() -> None:
    inner = sample('t="9" by="5"')
    transaction = 'rm="Number of samples in transaction : 1, number of failing samples : 0"'
    begin = f'<sample ts="1700000000000" t="40" s="true" lb="T" {transaction}>'
    held = begin + sample('t="30"') + "</sample>\n"
    result = read(
        "<?xml version='1.0'?>\n<testResults version='1.2'>\n"
        + sample('t="250" lt="20" by="100" rc="200" na="3"', inner)
        + held
        + "</testResults>\n"
    )
    assert not result.problems
    times = result.times()
    assert times["latency", None] == [0.25, 0.03]
    assert times["latency", "T"] == [0.04]
    assert times["phase_time", "wait"] == [0.02]
    assert result.values()[None, "requests", "count"] == 2.0
    assert result.runs[0].connections == 3


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("", "no element found"),
        ("<a></b>", "mismatched tag"),
    ],
)
def test_truncated_xml_keeps_what_precedes_the_damage(end: str, message: str) -> None:
    result = read("<testResults version='1.2'>\n" + sample('t="250"') + end)
    assert any(message in problem for problem in result.problems)
    assert result.times()["latency", None] == [0.25]
    assert result.runs[0].status == "partial"


def test_xml_with_entities_is_refused() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "ccc">]>\n<testResults>&b;</testResults>\n'
    result = read(bomb)
    assert any("entities are not read" in problem for problem in result.problems)
    assert not any("has no result" in problem for problem in result.problems)
    assert result.runs[0].status == "partial"  # a damaged file is not a failed run


@pytest.mark.parametrize(("start", "end"), [("<!-- ", " -->"), ('<note text="', '"/>')])
def test_tag_of_many_lines_takes_linear_time(start: str, end: str) -> None:
    def measure(count: int) -> float:
        tag = start + "a\n" * count + end
        text = "<testResults version='1.2'>\n" + tag + sample('t="1"') + "</testResults>"
        clock = process_time()
        result = read(text)
        assert (len(result.runs), result.problems) == (1, [])
        return process_time() - clock

    few = max(min(measure(2_000) for _ in range(3)), 0.01)
    assert measure(32_000) < 64 * few  # sixteen times as many; quadratic time would be 256 times


def test_row_without_a_label_is_not_the_total() -> None:
    source = Source(
        None, "a.csv",
        b"Label,# Samples,Average,Min,Max,Std. Dev.,Error %,Throughput\n"
        b",12,0,0,0,0.00,100.000%,13.7\nTOTAL,40,249,0,1621,187.49,30.000%,1.2\n",
    )  # fmt: skip
    (run,) = AGGREGATE.parse(source)
    assert isinstance(run, Reading)
    counts = {row[0]: row[3] for row in run.rows if row[1] == "requests"}
    assert counts == {"no label": 12, None: 40}


@pytest.mark.parametrize(
    ("code", "status"),
    [("Non HTTP response code: java.net.ConnectException", "failed"), ("500", "complete")],
)
def test_run_without_a_response_is_failed(code: str, status: str) -> None:
    result = read(HEADER + f"1700000000000,250,a,{code},no,false,0,1,7\n" * 2)
    assert result.runs[0].status == status
    remark = "all 2 requests failed, so this run has no result"
    assert any(remark in problem for problem in result.problems) == (status == "failed")


def test_aggregate_report_of_only_failed_requests_is_failed() -> None:
    text = b"Label,# Samples,Average,Error %\na,4,2,100.00%\nTOTAL,4,2,100.00%\n"
    result = Result(text, AGGREGATE)
    assert (result.runs[0].status, len(result.problems)) == ("failed", 1)
