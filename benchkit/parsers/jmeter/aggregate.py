"""The table of JMeter's aggregate report: mean, percentiles and rate of each label."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.reading.cleaning import ODD_SIGNS
from benchkit.reading.delimited import header_of, name_damaged, read_rows
from benchkit.reading.outcomes import ALL_FAILED
from benchkit.reading.remarks import Remark
from benchkit.regexes import regex
from benchkit.units import scale, step

#: Subject for requests of a nameless sampler; without a subject they would be the whole run.
_NAMELESS = "no label"
_NO_TOTAL = Remark(
    "the table has no row TOTAL, so it has no values for the whole run",
    "save the whole table",
    is_remark=False,
)
_TWICE = Remark(
    "the label {name!r} appears twice; this second row is left out",
    "save each report to a separate file",
    is_remark=False,
)
_NUMBER = regex(r"\d{0,12}(?:[.,]\d{1,9})?", re.ASCII)
#: The aggregate report's columns under both of their names, with their power of ten.
_COLUMNS = {
    ("# Samples", "aggregate_report_count"): ("requests", "count", "1", 0),
    ("Average", "average"): ("latency", "mean", "s", -3),
    ("Median", "aggregate_report_median"): ("latency", "p50", "s", -3),
    ("90% Line", "aggregate_report_90%_line"): ("latency", "p90", "s", -3),
    ("95% Line", "aggregate_report_95%_line"): ("latency", "p95", "s", -3),
    ("99% Line", "aggregate_report_99%_line"): ("latency", "p99", "s", -3),
    ("Min", "aggregate_report_min"): ("latency", "min", "s", -3),
    ("Max", "aggregate_report_max"): ("latency", "max", "s", -3),
    ("Std. Dev.", "aggregate_report_stddev"): ("latency", "stdev", "s", -3),
    ("Error %", "aggregate_report_error%"): ("error_rate", "mean", "1", -2),
    ("Throughput", "aggregate_report_rate"): ("request_rate", "mean", "1/s", 0),
    ("Received KB/sec", "aggregate_report_bandwidth"): ("bandwidth_in", "mean", "B/s", 0),
    ("Sent KB/sec", "aggregate_report_sent"): ("bandwidth_out", "mean", "B/s", 0),
}
_KINDS = {name: kind for names, kind in _COLUMNS.items() for name in names}
_TOTAL = "TOTAL"
#: Letters of Latin-1, in which JMeter writes on Windows, from the signs that stand for their bytes.
_LATIN = {ODD_SIGNS + code: code for code in range(0xA0, 0x100)}
#: The English names of columns that JMeter translates, by the second column; others are English.
_LANGUAGES: dict[str, dict[str, str]] = {
    "# Muestras": {
        "Media": "Average", "Mediana": "Median", "Mín": "Min", "Máx": "Max",
        "Desv. Estándar": "Std. Dev.", "% Error": "Error %", "Rendimiento": "Throughput",
        "Kb/sec": "Received KB/sec", "Total": _TOTAL,
    },
    "# Echantillons": {
        "Moyenne": "Average", "Médiane": "Median", "90% centile": "90% Line",
        "95% centile": "95% Line", "99% centile": "99% Line", "Ecart type": "Std. Dev.",
        "% Erreur": "Error %", "Débit": "Throughput", "Ko/sec reçus": "Received KB/sec",
        "Ko/sec émis": "Sent KB/sec",
    },
    "# Amostras": {
        "Média": "Average", "Mediana": "Median", "Mín.": "Min", "Máx.": "Max",
        "Desvio Padrão": "Std. Dev.", "% de Erro": "Error %", "Vazão": "Throughput",
        "KB/s": "Received KB/sec",
    },
    "Anz. der Proben": {
        "Durchschnitt": "Average", "Mittel": "Median", "% Fehler": "Error %",
        "Durchsatz": "Throughput", "KB/sek": "Received KB/sec", "Gesamt": _TOTAL,
    },
}  # fmt: skip


def recognises(head: Head) -> bool:
    """Return whether a source begins with the header of the table."""
    label, count, *_ = [*(header_of(head.text) if head.is_start else []), "", ""]
    is_english = count in {"# Samples", "aggregate_report_count"}
    return count in _LANGUAGES or (is_english and label in {"Label", "sampler_label"})


def parse(source: Source) -> Iterator[Record]:
    """Yield the run of a table."""
    run = Reading(tool="jmeter", form="aggregate", line=1, load_model="closed")
    labels: set[str] = set()
    for line, row in read_rows(source, "JMeter", ()):
        if isinstance(row, Diagnostic):
            run.status = "partial"
            yield row
            continue
        first, *cells = row.items()
        names = _LANGUAGES.get(cells[0][0], {}) if cells else {}
        names = {cells[0][0]: "# Samples", **names} if names else names
        if first[1] in labels:
            yield _TWICE.at(source.label, line, name=first[1][:60])
            continue
        labels.add(first[1])
        run.last_line = line
        for column, cell in cells:
            is_total = names.get(first[1], first[1]) == _TOTAL
            subject = None if is_total else first[1] or _NAMELESS
            name = names.get(column.translate(_LATIN), column)
            if not _add_cell(run, name, cell, line, subject):
                yield from name_damaged(source, line, column, cell, "JMeter")
    if not any(row[0] is None for row in run.rows):
        run.status = "partial" if run.rows else "failed"
        yield _NO_TOTAL.at(source.label, run.last_line)
    totals = {row[1]: row[3] for row in run.rows if row[0] is None}
    if totals.get("error_rate") == 1 and (count := totals.get("requests")):
        run.status = "failed"
        yield ALL_FAILED.at(source.label, run.last_line, count=count)
    if run.rows:
        yield run


def _add_cell(run: Reading, column: str, cell: str, line: int, subject: str | None) -> bool:
    """Add a cell of a known column; return False if it is not a number."""
    text = cell.strip().removesuffix("%").removesuffix("/sec").replace(",", ".")
    if column not in _KINDS:
        return True
    if not text or _NUMBER.fullmatch(text) is None:
        return False
    metric, stat, unit, exponent = _KINDS[column]
    if stat == "count" and not text.isdecimal():  # from a spreadsheet that groups digits
        return False
    factor = 1024.0 if unit == "B/s" else 1.0
    run.add(
        metric, stat, scale(text, exponent) * factor, unit, line,
        subject=subject, resolution=step(text, exponent) * factor,
    )  # fmt: skip
    return True
