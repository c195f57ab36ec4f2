"""Sides whose requests got different responses are not comparable, whichever tool counted them."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.derived.failures import Answers, collect_answers, describe_other_answers
from benchkit.schema import Side, Workload

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WORKLOAD = Workload("", "/list", "", "vegeta")


def _make(shares: tuple[float | None, ...]) -> Answers:
    unchecked, bare, size = shares
    return Answers(unchecked, bare, None if size is None else (size, size))


def describe(base: Answers, new: Answers) -> str:
    """Describe how the responses of two sides differ."""
    sides: dict[Side, Answers] = {WORKLOAD.side("base"): base, WORKLOAD.side("new"): new}
    return describe_other_answers(sides, WORKLOAD, "base", "new")


@pytest.mark.parametrize(
    ("base", "new", "difference"),
    [
        ((0.0, None, None), (1.0, None, None), "100 % of the checks failed for 'new', 0 % for"),
        ((1.0, None, None), (0.0, None, None), "0 % of the checks failed for 'new', 100 % for"),
        ((0.0, None, None), (0.01, None, None), ""),
        ((0.04, None, None), (0.06, None, None), ""),
        (
            (None, 0.0, None),
            (None, 0.5, None),
            "50 % of the responses have status 3xx or 204 for",
        ),
        (
            (None, 0.6, None),
            (None, 0.9, None),
            "90 % of the responses have status 3xx or 204 for",
        ),
        ((None, 0.5, None), (None, 0.55, None), ""),
        ((None, None, 615.0), (None, None, 0.0), "a response has 0 B for 'new', 615 B for 'base'"),
        ((None, None, 12.0), (None, None, 0.0), "a response has 0 B for 'new', 12.0 B for"),
        ((None, None, 5.0), (None, None, 14.0), ""),
        ((None, None, 615.0), (None, None, 1200.0), ""),
        ((None, None, 1300.0), (None, None, 615.0), "a response has 615 B for 'new', 1.27 KiB for"),
        ((None, None, None), (None, None, 615.0), ""),
    ],
)
def test_response_differences_are_described(
    base: tuple[float | None, ...], new: tuple[float | None, ...], difference: str
) -> None:
    described = describe(_make(base), _make(new)).replace("\N{NO-BREAK SPACE}", " ")
    assert described.startswith(difference)
    assert bool(described) is bool(difference)


def test_side_without_recorded_responses_does_not_differ() -> None:
    assert describe_other_answers({}, WORKLOAD, "base", "new") == ""


@pytest.mark.parametrize(
    ("file", "edit", "answers"),
    [
        ("nginx-ab/nginx/ab-c1-1.txt", ("", ""), (None, None, 133180.0)),
        ("nginx-ab/nginx/hey-c1-1.txt", ("[200]", "[302]"), (None, 1.0, 133180.0)),
        ("oha/none-1.json", ('"200":', '"302":'), (None, 1.0, 5.0)),
        ("fortio/none-1.json", ('"200":', '"302":'), (None, 1.0, 127.0)),
        ("bombardier/none-1.json", ("", ""), (None, 0.0, 127.0)),
        ("autocannon/none-1.json", ("", ""), (None, 0.0, 128.0)),
        ("locust/none-1_stats.csv", ("", ""), (None, None, 50.0)),
        ("jmeter/none-1.jtl", (",200,", ",302,"), (None, 1.0, 162.0)),
        ("plow/none-1.json", ("2xx", "3xx"), (None, 1.0, None)),
        ("artillery-runs/none-1.json", ("http.codes.200", "http.codes.302"), (None, 1.0, 11.0)),
        ("shorturl-k6/baseline/k6-1.txt", ("100.00%", "25.00%"), (0.75, None, 206.65288980734618)),
    ],
)
def test_recorded_responses_of_each_tool(
    file: str, edit: tuple[str, str], answers: tuple[float | None, ...], tmp_path: Path
) -> None:
    text = (FIXTURES / file).read_text(encoding="utf-8")
    assert edit[0] in text
    path = tmp_path / Path(file).name
    path.write_text(text.replace(*edit), encoding="utf-8")
    (collected,) = collect_answers(bk.load(path).observations).values()
    unchecked, bare, size = answers
    assert (collected.unchecked, collected.bare) == pytest.approx((unchecked, bare))
    assert collected.sizes == (None if size is None else pytest.approx((size, size)))


def test_single_run_with_empty_responses_differs() -> None:
    base, new = Answers(sizes=(600.0, 640.0)), Answers(sizes=(0.0, 630.0))
    assert describe(base, new).startswith("a response has 0 B for 'new', 600 B for 'base'")
    assert describe(Answers(sizes=(100.0, 900.0)), Answers(sizes=(120.0, 1000.0))) == ""


def test_request_kind_missing_on_one_side_is_a_difference() -> None:
    base, new = Answers(mix={"GET /list": 0.7, "POST /order": 0.3}), Answers(mix={"GET /list": 1.0})
    text = "100 % of the requests are GET /list for 'new', 70 % for 'base'"
    assert describe(base, new) == text
    assert describe(base, Answers(mix={"GET /list": 0.65, "POST /order": 0.35})) == ""
    assert describe(base, Answers()) == ""
