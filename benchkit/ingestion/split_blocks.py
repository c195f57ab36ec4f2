"""Blocks of one file that are kept apart by what is no name: finding B109."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from benchkit.errors import Finding
from benchkit.ingestion.parts import Part

#: What tells blocks apart, in words.
_REASONS = {
    "caption": "the surrounding text",
    "goos": "operating system",
    "goarch": "architecture",
    "cpu": "processor",
    "toolchain": "toolchain",
    "connections": "connections",
    "rate": "target rate",
    "document_length": "document length",
    "request_size": "request size",
    "response_size": "response size",
    "tls": "TLS",
    "duration": "length",
    "requests": "number of requests",
    "table": "the table that they stand in",
    "iterations": "the number of iterations",
}


def find_split_blocks(parts: Sequence[Part]) -> list[Finding]:
    """Return a finding for each file whose blocks are kept apart by what is no name.

    A table has many results, of several benchmarks and variants: those of one of them count.
    """
    split: dict[str, dict[Hashable, list[Part]]] = defaultdict(lambda: defaultdict(list))
    for part in parts:
        if part.split_by:
            name = part.declared_benchmark or part.target
            split[part.label][part.variant, part.tool, name, part.declared_params].append(part)
    largest = {label: max(named.values(), key=_count_tests) for label, named in split.items()}
    return [
        _report_split(label, blocks, tests, is_table=len(split[label]) > 1)
        for label, blocks in largest.items()
        if (tests := _count_tests(blocks)) > 1
    ]


def _count_tests(blocks: Sequence[Part]) -> int:
    return len({(part.benchmark, part.params) for part in blocks})


def _report_split(label: str, blocks: Sequence[Part], tests: int, *, is_table: bool) -> Finding:
    results = f"{len(blocks)} results{' per benchmark' * is_table}"
    reasons = " and ".join(dict.fromkeys(_REASONS[part.split_by] for part in blocks))
    return Finding(
        code="B109",
        severity="info",
        message=f"the file contains {results} without distinguishing headings; they "
        f"count as {tests} different tests, because they differ in {reasons}",
        remedy="if they are repeats, write each result to its own file: name-1.txt, name-2.txt",
        where=label,
        numbers={"blocks": len(blocks), "tests": tests},
    )
