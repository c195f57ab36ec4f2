"""Blocks of one file that are kept apart by what is no name: finding B109."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

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
}


def find_split_blocks(parts: Sequence[Part]) -> list[Finding]:
    """Return a finding for each file whose blocks are kept apart by what is no name."""
    split: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        if part.split_by:
            split[part.label].append(part)
    counts = {
        label: len({(part.variant, part.benchmark, part.params) for part in blocks})
        for label, blocks in split.items()
    }
    return [
        _report_split(label, split[label], tests) for label, tests in counts.items() if tests > 1
    ]


def _report_split(label: str, blocks: Sequence[Part], tests: int) -> Finding:
    reasons = " and ".join(dict.fromkeys(_REASONS[part.split_by] for part in blocks))
    return Finding(
        code="B109",
        severity="info",
        message=f"the file contains {len(blocks)} results without distinguishing headings; they "
        f"count as {tests} different tests, because they differ in {reasons}",
        remedy="if they are repeats, write each result to its own file: name-1.txt, name-2.txt",
        where=label,
        numbers={"blocks": len(blocks), "tests": tests},
    )
