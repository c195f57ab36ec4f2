"""JMeter's aggregate report in the languages of its window, and from a spreadsheet."""

from __future__ import annotations

import pytest

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.jmeter import AGGREGATE

SPANISH = (
    "Etiqueta,# Muestras,Media,Mediana,90% Line,95% Line,99% Line,Mín,Máx,% Error,"
    "Rendimiento,Kb/sec,Sent KB/sec"
)
FRENCH = (
    "Libellé,# Echantillons,Moyenne,Médiane,90% centile,95% centile,99% centile,Min,Max,"
    "% Erreur,Débit,Ko/sec reçus,Ko/sec émis"
)
PORTUGUESE = (
    "Rótulo,# Amostras,Média,Mediana,90% Line,95% Line,99% Line,Mín.,Máx.,% de Erro,"
    "Vazão,KB/s,Sent KB/sec"
)
GERMAN = (
    "Label,Anz. der Proben,Durchschnitt,Mittel,90% Line,95% Line,99% Line,Min,Max,% Fehler,"
    "Durchsatz,KB/sek,Sent KB/sec"
)


def read(text: str, encoding: str = "utf-8") -> tuple[Reading, list[str]]:
    source = Source(None, "x.csv", text.encode(encoding))
    assert AGGREGATE.claims(source.head())
    records = list(AGGREGATE.parse(source))
    (run,) = (each for each in records if isinstance(each, Reading))
    return run, [each.what for each in records if isinstance(each, Diagnostic)]


def totals(run: Reading) -> dict[tuple[str, str], float]:
    return {row[1:3]: row[3] for row in run.rows if row[0] is None}


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize(
    ("header", "total"),
    [(SPANISH, "Total"), (FRENCH, "TOTAL"), (PORTUGUESE, "TOTAL"), (GERMAN, "Gesamt")],
)
def test_translated_columns_are_read(header: str, total: str, encoding: str) -> None:
    row = '10,328,300,350,360,370,12,371,"5,000%","3,04878","1,50","0,50"'
    run, problems = read(f"{header}\nlogin,{row}\n{total},{row}\n", encoding)
    assert (run.status, problems) == ("complete", [])
    assert totals(run) == {
        ("requests", "count"): 10.0,
        ("latency", "mean"): 0.328,
        ("latency", "p50"): 0.3,
        ("latency", "p90"): 0.35,
        ("latency", "p95"): 0.36,
        ("latency", "p99"): 0.37,
        ("latency", "min"): 0.012,
        ("latency", "max"): 0.371,
        ("error_rate", "mean"): 0.05,
        ("request_rate", "mean"): 3.04878,
        ("bandwidth_in", "mean"): 1536.0,
        ("bandwidth_out", "mean"): 512.0,
    }


def test_a_sampler_called_total_is_not_the_total_of_an_english_table() -> None:
    run, problems = read("Label,# Samples,Average\nTotal,3,12\nTOTAL,9,15\n")
    assert not problems
    assert totals(run) == {("requests", "count"): 9.0, ("latency", "mean"): 0.015}


def test_a_count_with_grouped_digits_is_named() -> None:
    """A spreadsheet made one request of a thousand."""
    run, (problem,) = read("Label;# Samples;Average\nTOTAL;1.000;12\n")
    assert "# Samples is '1.000'" in problem
    assert totals(run) == {("latency", "mean"): 0.012}
