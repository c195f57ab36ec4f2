"""The gate as Markdown: the job summary, and the text of a comment.

A reviewer reads the sentence and the important rows; the rest is folded away, and omissions are
counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchkit.gating.outcome import RowOutcome
from benchkit.gating.result import GateResult
from benchkit.gating.table import PRESSING, gate_table
from benchkit.gating.wording import describe_notes
from benchkit.reporting.markdown_text import escape, write_table
from benchkit.tables.findings import count_lines, summarise_findings
from benchkit.tables.wording import format_bare

#: GitHub refuses comments of more than 65,536 characters.
LONGEST = 60_000
#: The sentence ends with the order of the runs and the policy's action, which must not be cut off.
_LONGEST_SENTENCE = 4_000
_STEPS = (1_000_000, 300, 100, 40, 15, 5, 1)


def to_markdown(result: GateResult) -> str:
    """Write a gate's result as Markdown."""
    texts = (_write(result, most) for most in _STEPS)
    shortest = ""
    for text in texts:
        shortest = text
        if len(text.encode()) <= LONGEST:
            break
    return shortest


def _write(result: GateResult, most: int) -> str:
    outcome = result.outcome
    parts = [f"### {escape(result.sentence, _LONGEST_SENTENCE)}"]
    if result.title:
        parts.append(f"*{escape(result.title)}*")
    if result.policy:
        parts.append(f"Policy: {escape(result.policy)}")
    if result.refused:
        parts.append(f"! {escape(result.refused)}")
    if result.self_test is not None:
        unseen = result.self_test.unseen[:most]
        return "\n\n".join([*parts, *(f"- {escape(text)}" for text in unseen)]) + "\n"
    parts += [f"- {escape(note)}" for note in list(describe_notes(outcome))[:most]]
    pressing = [row for row in outcome.rows if row.word in PRESSING]
    parts += _table(result, pressing, most)
    rest = [row for row in outcome.rows if row.word not in PRESSING]
    hold = "1 row that passes" if len(rest) == 1 else f"{len(rest)} rows that pass"
    parts += _fold(hold, _table(result, rest, most))
    lines = summarise_findings(result.findings, most)
    items = [f"- {escape(line.removeprefix('! '))}" for line in lines]
    count = _number(count_lines(result.findings), "finding")
    parts += _fold(count, ["\n".join(items)] if items else [])
    if outcome.rows:
        parts.append(f"<sub>{escape(_describe_method(result))}</sub>")
    return "\n\n".join(parts) + "\n"


def _table(result: GateResult, rows: Sequence[RowOutcome], most: int) -> Iterator[str]:
    if rows:
        yield write_table(gate_table(result.outcome, rows[:most]))
    if len(rows) > most:
        yield f"… and {len(rows) - most} more rows, left out for length."


def _fold(summary: str, content: Iterator[str] | Sequence[str]) -> list[str]:
    inside = list(content)
    if not inside:
        return []
    return [f"<details><summary>{summary}</summary>", *inside, "</details>"]


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _describe_method(result: GateResult) -> str:
    level = format_bare(1 - result.outcome.confidence)
    if result.outcome.rules[0].rule.is_default:
        return (
            "No limit is set. A row is a regression if p, adjusted for all rows, is at most "
            f"{level} and the estimate is beyond the margin. It is not a regression if the runs "
            "show equivalence or a gain. Otherwise it is inconclusive. Near the margin, a limit "
            "([[gate]]) is more reliable. The unit of replication is the run."
        )
    return (
        f"A one-sided test at {level} decides whether a row is over or within its limit; for "
        "“over”, p is adjusted for all rows of the gate. If neither is shown, the row is "
        "inconclusive. The unit of replication is the run."
    )


#: Identifies the comment to update for the step that posts it.
MARKER = "<!-- benchkit-gate -->"


def to_comment(result: GateResult) -> str:
    """Write the comment's body."""
    return f"{MARKER}\n{to_markdown(result)}"
