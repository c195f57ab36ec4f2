"""Labels from the headings above the runs of a source.

Runs are marked as failed if the text below their report shows that a program crashed.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from benchkit.errors import Diagnostic
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.outputs import (
    STATUS,
    find_output,
    has_row_labels,
    hold_commands,
    lead_by_row_labels,
    list_outputs,
    take_prompts,
)
from benchkit.ingestion.pieces import Pieces
from benchkit.labels.headings import Page as Surrounding
from benchkit.labels.headings import Sections, read_sections, shorten, split_lines
from benchkit.labels.matching import split_variant
from benchkit.labels.pieces import Places
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Reading, Source
from benchkit.reading.captions import Page, list_tails, place_captions
from benchkit.reading.crashes import find_crash
from benchkit.reading.heading_lines import read_rate
from benchkit.reading.passages import is_silent, name_passages
from benchkit.reading.prefixes import Prefix
from benchkit.reading.source import LOG_BYTES, UnreadableError
from benchkit.reading.surroundings import Above, Block, may_hold_headings, read_headings
from benchkit.redaction import redact_quote
from benchkit.regexes import regex
from benchkit.selection import BASELINE_NAMES

if TYPE_CHECKING:
    import numpy as np


#: Maximum number of characters of a page; a larger source is a log without headings.
LARGEST = 8 << 20
_JSON = regex(rb"^[ \t>]{0,12}(?:\{\s{0,9}\"|\[\s{0,9}\{)", re.MULTILINE)
Labelled = tuple[Format, Reading, Sections, Places | None]
_HINT = (
    "its results are kept but not compared; find out what crashed and measure again, or remove the "
    "line if it is not of this run"
)


def list_sections(
    source: Source, runs: Pieces, options: Options, problems: list[Diagnostic]
) -> Iterator[Labelled]:
    """Yield the readings of a source, with the labels from the headings above them.

    Runs that share a reading are yielded once per heading; ``problems`` receives skipped searches.
    """
    readings = [
        (form, reading, runs.places(reading))
        for form, reading in sorted(runs.in_order(), key=lambda run: run[1].line)
    ]  # from the top of the page, not format by format
    may_be_headed = any(_may_be_headed(*item) for item in readings)
    lines = read_lines(source) if may_be_headed else []
    if may_be_headed and not lines:
        problems += _report_unsearched(source, [reading for _, reading, _ in readings])
        problems += _report_json(source, {form.name for form, *_ in readings})
    problems += _report_left_out(source)
    if not lines:
        yield from _read_keys(readings, options)
        return
    take_prompts([each for _, each, places in readings if places is None], lines)
    _hide_tables(lines, readings)
    _hide_chatter(lines, readings)
    has_names = all(reading.benchmark for _, reading, _ in readings)
    is_single = len(source.prefixes) < 2
    is_labelled = has_row_labels(lines, (reading for _, reading, _ in readings))
    is_bare = has_names and is_single and not is_labelled and not may_hold_headings(lines)
    blocks = [_list_blocks(*item) for item in readings]
    listed = [block for each in blocks for block in each]
    owners = [reading for (_, reading, _), each in zip(readings, blocks, strict=True) for _ in each]
    _hide_rates(lines, listed)
    outputs = list_outputs(lines, listed, owners)
    wholes = _list_wholes(listed, owners, outputs)
    _hide_tails(lines, wholes)
    if is_bare and len(outputs) < 2:
        yield from ((form, reading, Sections(), places) for form, reading, places in readings)
        return
    page = place_captions(lines, wholes, _is_name)
    moved = [page.move(block) for block in listed]
    taken = {number for each in moved for number in range(each.first, each.last + 1)}
    for number in range(1, len(page.lines) + 1):
        if number not in taken and _says_nothing(page.lines[number - 1]):
            page.lines[number - 1] = ""
    headings = [Above({})] * len(listed) if is_bare else read_headings(page.lines, moved)
    outputs = [page.move(output) for output in outputs]
    headings = _take_captions(page.lines, moved, owners, headings, outputs)
    above = _lead_by_process(source.prefixes, listed, headings)
    if is_labelled:
        above = lead_by_row_labels(lines, listed, owners, above)
    singles = [reading for _, reading, places in readings if places is None]
    if len(singles) == len(listed):
        hold_commands([form for form, *_ in readings], singles, moved, above, page.lines)
    read = _read_sections(above, options)
    _part_by_text(page.lines, moved, owners, outputs, read)
    for section in read:
        split_lines(section, lambda text: split_variant(text, options.split))
    sections, tables = iter(read), _read_tables(page, readings, moved)
    for (form, reading, places), each in zip(readings, blocks, strict=True):
        if not each:
            yield form, reading, tables.get(id(reading), Sections()), places
        elif places is None:
            yield form, reading, next(sections), None
        else:
            yield from _part(form, reading, places, [next(sections) for _ in each])


def _report_left_out(source: Source) -> Iterator[Diagnostic]:
    """Report text that counts only once, split lines, and log prefixes that may remain."""
    if source.is_joined:
        what = "the file joins lines of its page; line numbers refer to the page with them split"
        yield Diagnostic(source.label, 0, what, "", "note", is_remark=True)
    if source.size > LOG_BYTES and any(prefix.spans for prefix in source.prefixes):
        what = f"benchkit removes log prefixes only in the first {LOG_BYTES >> 20} MiB of a file"
        yield Diagnostic(source.label, 0, what, "if results follow, split the file", "warning")
    if source.is_doubled:
        what = "the file contains every line twice; each result counts once"
        hint = "if these are two measurements, put each one in a file of its own"
        yield Diagnostic(source.label, 0, what, hint, "warning", is_remark=True)


def _read_sections(above: Sequence[Surrounding], options: Options) -> list[Sections]:
    return read_sections(above, BASELINE_NAMES, lambda text: split_variant(text, options.split))


def _read_keys(
    readings: Sequence[tuple[Format, Reading, Places | None]], options: Options
) -> Iterator[Labelled]:
    """Take the keys above the runs of a document as their headings."""
    keys = [dict(enumerate(reading.headings)) for _, reading, _ in readings]
    above = [(names, "", (), ()) for names in keys] if any(keys) else []
    read = _read_sections(above, options) or [Sections() for _ in readings]
    for (form, reading, places), section in zip(readings, read, strict=True):
        yield form, reading, section, places


def _hide_tables(
    lines: list[str], readings: Sequence[tuple[Format, Reading, Places | None]]
) -> None:
    """Blank companion records next to results, which name none of these."""
    for form, reading, _ in readings:
        if form.embeds and form.is_companion:
            for at in range(reading.line - 1, min(reading.last_line, len(lines))):
                lines[at] = ""


def _hide_chatter(
    lines: list[str], readings: Sequence[tuple[Format, Reading, Places | None]]
) -> None:
    """Remove text that tools print around their results and that does not describe these."""
    patterns = {id(form.chatter): form.chatter for form, _, _ in readings if form.chatter}
    for pattern in patterns.values():
        for at, line in enumerate(lines):
            lines[at] = pattern.sub("", line)


def _hide_rates(lines: list[str], blocks: Sequence[Block]) -> None:
    """Remove from bold lines a rate that the block below or above contains: it is not a name."""
    shown = [(at, *rated) for at, line in enumerate(lines) if (rated := read_rate(line))[0]]
    placed = sorted(blocks) if shown else []
    for at, number, rest in shown:
        below = bisect(placed, at, key=lambda block: block.first)
        near = placed[max(below - 1, 0) : below + 1]
        if any(_has_number("\n".join(lines[b.first - 1 : b.last]), number) for b in near):
            lines[at] = rest


def _hide_tails(lines: list[str], blocks: Sequence[Block]) -> None:
    """Blank the output of a load tool's script below its results, because it names none of them."""
    for number in chain.from_iterable(list_tails(lines, blocks)):
        lines[number - 1] = ""


def _has_number(text: str, number: str) -> bool:
    """Return whether a text contains a number, not just its digits within another one."""
    ends = ((before[-1:], after[:1]) for before, after in pairwise(text.split(number)))
    return any(not (before.isdigit() or before == "." or after.isdigit()) for before, after in ends)


def _read_tables(
    page: Page, readings: Sequence[tuple[Format, Reading, Places | None]], blocks: Sequence[Block]
) -> dict[int, Sections]:
    """Return the headings above companion records, by the id of their reading."""
    tables = [reading for form, reading, _ in readings if form.embeds and form.is_companion]
    placed = [page.move(Block(each.line, max(each.line, each.last_line))) for each in tables]
    headings = read_headings(page.lines, [*placed, *blocks])[: len(tables)] if tables else []
    pages = [(above.headings, "", (), ()) for above in headings]
    return {
        id(table): section for table, section in zip(tables, read_sections(pages, ()), strict=True)
    }


def _may_be_headed(form: Format, reading: Reading, places: Places | None) -> bool:
    """Return whether headings may precede a reading: not in data, and not on line 1."""
    is_text = form.embeds and not form.is_companion
    return is_text and (reading.line > 1 or places is not None)


def _list_blocks(form: Format, reading: Reading, places: Places | None) -> list[Block]:
    """Return the blocks of a reading's runs, if headings may precede them."""
    if not form.embeds or form.is_companion:
        return []
    if places is not None:
        return [Block(line, line) for line in places.lines.tolist()]
    return [Block(reading.line, max(reading.line, reading.last_line), reading.command or "")]


def _is_name(text: str) -> bool:
    """Return whether a text is more than a run count, a date or a word for a warm-up."""
    has_words = not is_silent(text) and bool(shorten(text)[0])
    return has_words and not STATUS.match(text)


def _says_nothing(line: str) -> bool:
    """Return whether a plain line only counts a run, shows the time or announces a pause."""
    text = line.strip(" \t:：-")
    if not text or text[0] in "#=*<_`~>|+":
        return False
    return is_silent(text) or shorten(text) == ("", False)


def _part_by_text(
    lines: Sequence[str],
    blocks: Sequence[Block],
    owners: Sequence[Reading],
    outputs: Sequence[Block],
    sections: Sequence[Sections],
) -> None:
    """Distinguish blocks by the text between them, if it differs from that between repeats."""
    wholes = {number for each in outputs for number in range(each.first, each.last + 1)}
    shown = ["" if at in wholes or STATUS.match(line) else line for at, line in enumerate(lines, 1)]
    places = [
        at
        for at, owner in enumerate(owners)
        if not owner.benchmark or find_output(outputs, blocks[at]) is not None
    ]
    names = {name for section in sections for name in section.headings.values()}
    passages = name_passages(
        shown or lines,
        [blocks[at] for at in places],
        [_list_labels(owners[at], sections[at]) for at in places],
        lambda text: shorten(text)[0],
        names,
    )
    for at, passage in zip(places, passages, strict=True):
        if passage:
            sections[at].lines = (*sections[at].lines, passage)


def _list_labels(reading: Reading, section: Sections) -> tuple[object, ...]:
    """Return the key shared by blocks that may be repeats."""
    labels = reading.tool, reading.benchmark, reading.target, section.caption, section.variant
    params, headings = tuple(reading.params.items()), tuple(section.headings.items())
    return *labels, section.is_warm_up, section.lines, params, headings


def _list_wholes(
    blocks: Sequence[Block], owners: Sequence[Reading], outputs: Sequence[Block]
) -> list[Block]:
    """Return whole results: outputs of several benchmarks, and reports without a name."""
    others = [b for b, owner in zip(blocks, owners, strict=True) if not owner.benchmark]
    return [*outputs, *others]


def _take_captions(
    lines: Sequence[str],
    blocks: Sequence[Block],
    owners: Sequence[Reading],
    headings: Sequence[Above],
    outputs: Sequence[Block],
) -> list[Above]:
    """Give results that name their benchmarks the lines around their whole output.

    A row outside any output gets no lines.
    """
    shown = ["" if STATUS.match(line) else line for line in lines] if outputs else []
    around = read_headings(shown, _list_wholes(blocks, owners, outputs)) if outputs else []
    result: list[Above] = []
    for block, owner, above in zip(blocks, owners, headings, strict=True):
        at = find_output(outputs, block)
        if at is not None:
            result.append(around[at]._replace(headings=above.headings))
        else:
            result.append(Above(above.headings) if owner.benchmark else above)
    return result


def _lead_by_process(
    prefixes: Sequence[Prefix], blocks: Sequence[Block], headings: Sequence[Above]
) -> Sequence[Above]:
    """Add the pod or step that printed a block above its headings, if a log contains several."""
    if len(prefixes) < 2:
        return headings
    names = [
        next((p.name for p in prefixes if any(b.first <= n <= b.last for n in p.anchors)), "")
        for b in blocks
    ]
    return [
        above._replace(headings={0: name, **above.headings}) if name else above
        for name, above in zip(names, headings, strict=True)
    ]


def _report_unsearched(source: Source, readings: Sequence[Reading]) -> list[Diagnostic]:
    """Report that blocks of a large file may be pooled although headings would separate them."""
    nameless = [reading for reading in readings if not reading.benchmark]
    if len(nameless) < 2:
        return []
    what = (
        f"the file is larger than {LARGEST >> 20} MiB, so the headings of its {len(nameless)} "
        "results are ignored: results with equal commands and sizes count as repeats of one test"
    )
    hint = "split the file at its headings and ingest the parts"
    return [Diagnostic(source.label, nameless[1].line, what, hint, "warning")]


def _report_json(source: Source, names: Collection[str]) -> Iterator[Diagnostic]:
    """Report that JSON in a large text with results of these formats is not read."""
    is_text = any(form.embeds and form.name in names for form in registry.formats())
    with suppress(UnreadableError):
        if is_text and any(_JSON.search(block) for block in source.blocks()):
            what = (
                f"the file is larger than {LARGEST >> 20} MiB, so JSON results in it are not read"
            )
            hint = "if it contains such results, put each of them in a file of its own"
            yield Diagnostic(source.label, 0, what, hint, "warning", is_remark=True)


def read_lines(source: Source) -> list[str]:
    """Return the lines of a source, or none if it is too large for a page."""
    if source.size > LARGEST:
        return []
    lines, size = list[str](), 0
    with suppress(UnreadableError):
        for _, line in source.lines():
            lines.append(line)
            size += len(line)
            if size > LARGEST:
                return []
    return lines


def _part(
    form: Format, reading: Reading, places: Places, sections: Sequence[Sections]
) -> Iterator[Labelled]:
    """Split runs that share a reading by the labels above them."""
    parted: dict[str, list[int]] = {}
    for at, section in enumerate(sections):
        parted.setdefault(repr(section), []).append(at)
    for rows in parted.values():
        yield form, reading, sections[rows[0]], _take(places, rows)


def _take(places: Places, rows: Sequence[int]) -> Places:
    import numpy as np

    chosen: np.ndarray = np.array(rows)
    return Places(places.indices[chosen], places.lines[chosen])


def mark_crashes(source: Source, runs: Sequence[tuple[Format, Reading]]) -> Iterator[Diagnostic]:
    """Mark the last runs before a crash as failed, and report this."""
    reports = [run for form, run in runs if _is_report(form, run)]
    if not reports:
        return
    lines = source.text().split("\n") if source.is_small else read_lines(source)
    starts = sorted(run.line for _, run in runs)
    for run in reports:
        below = bisect(starts, run.last_line)
        last = starts[below] - 1 if below < len(starts) else len(lines)
        whole = registry.tool(run.tool).whole_exits
        found = find_crash(lines, run.last_line + 1, last, whole, run.tool)
        if found is not None:
            number, reason = found[0], redact_quote(" ".join(found[1].split()))
            run.status, run.remark = "failed", f"{number}: {reason}"
            what = f"the run failed: {reason}"
            yield Diagnostic(source.label, number, what, _HINT, "warning", is_remark=True)


def _is_report(form: Format, run: Reading) -> bool:
    """Return whether a run is a text that ends with its results, and has not failed yet."""
    is_text = form.embeds and not (form.is_companion or form.reads_ends)
    is_run = run.status != "failed" and registry.tool(run.tool).role != "summary"
    return is_text and is_run and run.last_line > 0
