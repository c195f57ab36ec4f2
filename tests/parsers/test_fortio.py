"""fortio's JSON and text: a held rate, requests without an answer, both forms alike."""

from __future__ import annotations

from pathlib import Path

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.fortio import JSON, TEXT

FORMS = Path(__file__).resolve().parents[2] / "fixtures/fortio-forms"


def read(form: Format, name: str) -> tuple[Reading, list[Diagnostic]]:
    records = list(form.parse(Source.load(FORMS / name)))
    (run,) = (each for each in records if isinstance(each, Reading))
    return run, [each for each in records if isinstance(each, Diagnostic)]


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_a_held_rate_is_an_open_loop() -> None:
    run, problems = read(JSON, "held.json")
    assert not problems
    assert (run.load_model, run.target_rate, run.connections) == ("open", 100.0, 4)
    assert run.started_at is not None
    found = values(run)
    assert found[None, "requests", "count"] == 200
    assert found["404", "responses", "count"] == 200
    assert found["non2xx", "failures", "count"] == 200
    assert found[None, "latency", "p90"] > found[None, "latency", "p50"]


def test_text_says_what_json_says() -> None:
    run, problems = read(TEXT, "text-held.txt")
    assert not problems
    other, _ = read(JSON, "held.json")
    text, document = values(run), values(other)
    assert text.keys() == document.keys()
    for key, value in text.items():
        assert abs(value - document[key]) <= 1e-4 * document[key], key
    assert text[None, "latency", "mean"] == 0.00068441879


def test_a_run_without_an_answer_measured_nothing() -> None:
    for form, name in ((JSON, "refused.json"), (TEXT, "text-refused.txt")):
        run, (problem,) = read(form, name)
        assert run.status == "failed"
        assert "20 failed" in problem.what
        assert set(values(run)) == {
            (None, "duration", "total"),
            ("connect", "failures", "count"),
        }


def test_a_rate_that_counts_lost_requests_is_left_out() -> None:
    text = (FORMS / "held.json").read_text(encoding="utf-8")
    text = text.replace('"404": 200', '"-1": 3, "200": 197')
    (run,) = JSON.parse(Source(None, "x.json", text.encode()))
    assert isinstance(run, Reading)
    kept = {row[1] for row in run.rows}
    assert "request_rate" not in kept
    assert values(run)["connect", "failures", "count"] == 3
