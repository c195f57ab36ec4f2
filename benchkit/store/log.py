"""The log of runs: its rows, the resulting state, and the state before the last ingest.

Each commit appends rows: new pieces of runs, pieces whose labels changed, and dropped pieces, all
with the commit's sequence number. The row with the greatest ``seq`` determines a piece, unless that
row is dropped. Rows of a store from before the log count as sequence 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchkit.errors import StoreError
from benchkit.redaction.marks import HIDDEN, KEYED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    import pyarrow as pa

#: batch -> first and last of consecutive pieces
Ranges = dict[str, list[list[int]]]
#: Columns of a row of the log in addition to those of the piece.
LOG_COLUMNS = ("seq", "operation", "values_version", "dropped")
#: Columns that decide whether a row is needed; the other forty need not be copied for that.
KEYS = ("batch", "piece", *LOG_COLUMNS)
INGEST, PRUNE, UNDO, VACUUM = "ingest", "prune", "undo", "vacuum"
#: Commits that `undo` can revert while they are the last.
UNDOABLE = frozenset({INGEST, PRUNE})
#: The start of a mark in a JSON column, as a regular expression.
_ESCAPED = r"\u2026"
#: Values assumed for rows of earlier builds; the table of values has version 0 or more.
_EARLIER = {"seq": 0, "operation": INGEST, "values_version": -1, "dropped": False}


def add_log_columns(rows: pa.Table, seq: int, operation: str, values_version: int) -> pa.Table:
    """Return the rows of one commit; ``dropped`` may already be one of their columns."""
    import pyarrow as pa

    if "dropped" not in rows.column_names:
        rows = rows.append_column("dropped", pa.repeat(False, len(rows)))
    log = pa.table(
        {
            "seq": pa.repeat(pa.scalar(seq, pa.int64()), len(rows)),
            "operation": pa.repeat(operation, len(rows)),
            "values_version": pa.repeat(pa.scalar(values_version, pa.int64()), len(rows)),
        }
    )
    for name in log.column_names:
        rows = rows.append_column(name, log[name])
    return rows


def log_schema() -> pa.Schema:
    """Return the columns that a log must have."""
    import pyarrow as pa

    columns = {"batch": pa.int64(), "piece": pa.int64(), "seq": pa.int64()}
    return pa.schema(
        {**columns, "operation": pa.string(), "values_version": pa.int64(), "dropped": pa.bool_()}
    )


def complete(log: pa.Table) -> pa.Table:
    """Fill in the log's columns for rows that were written before the log existed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if "batch" not in log.column_names:
        return log
    for name, value in _EARLIER.items():
        scalar = pa.scalar(value)
        if name not in log.column_names:
            log = log.append_column(name, pa.repeat(scalar, len(log)))
        elif log[name].null_count:
            place = log.column_names.index(name)
            log = log.set_column(place, name, pc.fill_null(log[name], scalar))
    return log


def current(log: pa.Table, places: np.ndarray | None = None) -> pa.Table:
    """Return the current pieces, without the log's columns, in the order of their batches.

    Parameters
    ----------
    log : Table
    places : ndarray of int64, optional
        The result of `place_current`, if known.
    """
    return without_log(_take(log, place_current(log) if places is None else places))


def place_current(log: pa.Table) -> np.ndarray:
    """Return the positions of the current pieces in the log, in the order of `current`."""
    return _place_newest(log, with_dropped=False)


def holds_marks(log: pa.Table) -> bool:
    """Return whether a name in the log contains a keyed mark in place of a secret."""
    import pyarrow.compute as pc

    texts = (text for column in log.columns for text in _list_texts(column))
    kinds = [(sign, KEYED.replace(HIDDEN, re.escape(sign))) for sign in (HIDDEN, _ESCAPED)]
    return any(
        pc.any(pc.match_substring(text, sign)).as_py()  # takes a third of the time
        and pc.any(pc.match_substring_regex(text, mark)).as_py()
        for text in texts
        for sign, mark in kinds
    )


def _list_texts(column: pa.ChunkedArray) -> Iterator[pa.Array]:
    """Yield the texts of a column, coded ones only once."""
    import pyarrow as pa

    for chunk in column.chunks:
        texts = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        if pa.types.is_string(texts.type):
            yield texts


def before_last(log: pa.Table) -> pa.Table:
    """Return the pieces before the last commit, without the log's columns."""
    import pyarrow.compute as pc

    earlier = log.filter(pc.less(log["seq"], last_seq(log)))
    return current(earlier)


def last_seq(log: pa.Table) -> int:
    """Return the sequence number of the last commit; 0 if there is none."""
    import pyarrow.compute as pc

    return pc.max(log["seq"]).as_py() or 0 if len(log) else 0


def last_operation(log: pa.Table) -> str:
    """Return the operation of the last commit; empty if there is none, or none in the log."""
    import pyarrow.compute as pc

    if not (last := last_seq(log)):
        return ""
    operation: str = log["operation"].filter(pc.equal(log["seq"], last))[0].as_py()
    return operation


def values_version(log: pa.Table) -> int:
    """Return the version of the table of values at the last commit; -1 if unknown."""
    import pyarrow.compute as pc

    if not len(log):
        return -1
    last = log["values_version"].filter(pc.equal(log["seq"], last_seq(log)))
    version: int = pc.max(last).as_py()
    return version


def undo_rows(url: str, log: pa.Table) -> pa.Table:
    """Return the rows that revert the last commit: its pieces as they were before.

    Raises
    ------
    StoreError
        If the store has no commit, or the last one cannot be undone.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(log):
        raise StoreError("no store here", where=url, hint="run `benchkit ingest` first")
    if last_operation(log) not in UNDOABLE:
        raise StoreError(
            "nothing to undo: you can undo only the last ingest, and only once",
            where=url,
            hint="nothing was changed; see the store's runs with `benchkit runs`",
        )
    is_last = pc.equal(log["seq"], last_seq(log))
    touched = log.filter(is_last)
    earlier = _newest(log.filter(pc.invert(is_last)))
    keys = ["batch", "piece"]
    again = earlier.join(touched.select(keys), keys, join_type="left semi")
    again = again.filter(pc.invert(again["dropped"]))
    gone = touched.join(again.select(keys), keys, join_type="left anti")
    gone = gone.set_column(
        gone.column_names.index("dropped"), "dropped", pa.repeat(True, len(gone))
    )
    rows = pa.concat_tables([again, gone.select(again.column_names)])
    return rows.drop_columns(["seq", "operation", "values_version"])


def list_changes(log: pa.Table, rows: pa.Table) -> dict[str, Ranges]:
    """Return the effect of a file's rows on earlier rows: pieces dropped, and pieces kept."""
    import pyarrow.compute as pc

    keys = ["batch", "piece"]
    near = log.filter(pc.is_in(log["batch"], pc.unique(rows["batch"])))
    if not len(near):
        return {}
    first = near.group_by(keys, use_threads=False).aggregate([("seq", "min")])
    known = _newest(rows.select(KEYS)).join(first, keys, join_type="inner")
    known = known.filter(pc.less(known["seq_min"], known["seq"]))
    kept = known.filter(pc.invert(known["dropped"]))
    each = {"dropped": known.filter(known["dropped"]), "kept": kept}
    return {name: _list_ranges(some) for name, some in each.items() if len(some)}


def _list_ranges(rows: pa.Table) -> Ranges:
    """Return the pieces of each batch, as first and last of each consecutive stretch."""
    import numpy as np

    ranges: Ranges = {}
    batches, pieces = rows["batch"].to_numpy(), rows["piece"].to_numpy()
    for batch in np.unique(batches).tolist():
        numbers = np.unique(pieces[batches == batch])
        parts = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
        ranges[str(batch)] = [[int(part[0]), int(part[-1])] for part in parts]
    return ranges


def redo(log: pa.Table, lost: Iterable[tuple[int, Mapping[str, Ranges]]]) -> pa.Table:
    """Return the newest rows of pieces that lost commits dropped or kept, as these left them.

    Parameters
    ----------
    log : Table
        The log without the rows of these commits.
    lost : iterable of (seq, changes)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    seqs = []
    for seq, changes in sorted(lost, key=lambda one: one[0]):
        seqs.append(seq)
        earlier = log.filter(pc.less(log["seq"], seq))
        for name, ranges in changes.items():
            is_drop = name == "dropped"
            rows = _newest(earlier if is_drop else earlier.filter(pc.invert(earlier["dropped"])))
            rows = rows.filter(_is_inside(rows, ranges))
            for column, value in (("dropped", is_drop), ("seq", seq)):
                place, kind = rows.column_names.index(column), rows.schema.field(column).type
                cells = pa.repeat(pa.scalar(value, kind), len(rows))
                rows = rows.set_column(place, column, cells)
            log = pa.concat_tables([log, rows])
    newest = _newest(log)
    rows = newest.filter(pc.is_in(newest["seq"], pa.array(seqs, pa.int64())))
    return rows.drop_columns(["seq", "operation", "values_version"])


def put_over(log: pa.Table, rows: pa.Table) -> pa.Table:
    """Return the log after a commit of rows."""
    import pyarrow as pa

    later = add_log_columns(rows, last_seq(log) + 1, INGEST, -1)
    return pa.concat_tables([log, later], promote_options="permissive")


def replace_rows(rows: pa.Table, by: pa.Table) -> pa.Table:
    """Return rows of pieces, replaced by those of ``by`` where both tables have one."""
    import pyarrow as pa

    keys = ["batch", "piece"]
    rest = rows.join(by.select(keys), keys, join_type="left anti")
    return pa.concat_tables([rest, by], promote_options="permissive")


def _is_inside(rows: pa.Table, ranges: Ranges) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    batches, pieces = rows["batch"].to_numpy(), rows["piece"].to_numpy()
    inside: np.ndarray = np.zeros(len(rows), dtype=bool)
    for batch, parts in ranges.items():
        for first, last in parts:
            inside |= (batches == int(batch)) & (pieces >= first) & (pieces <= last)
    return pa.array(inside)


def unchanged_row(log: pa.Table) -> pa.Table:
    """Return one unchanged row, for a commit that changes no piece."""
    return _newest(log).slice(0, 1).drop_columns(["seq", "operation", "values_version"])


def end_prune(log: pa.Table) -> pa.Table:
    """Return a row for a commit that makes a prune permanent; none if no prune was last."""
    is_last = last_operation(log) == PRUNE
    return unchanged_row(log).slice(0, int(is_last))


def needed(rows: pa.Table, rest: pa.Table | None = None) -> pa.Table:
    """Return the rows without which the state would differ, or `undo` would not work.

    Parameters
    ----------
    rows : Table
    rest : Table, optional
        The other rows of the log, whose pieces remain dropped.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rest = rows.slice(0, 0) if rest is None else rest
    log = pa.concat_tables([rest.select(KEYS), rows.select(KEYS)])
    log = log.append_column("place", pa.array(np.arange(len(log)) - len(rest)))
    is_last = pc.equal(log["seq"], last_seq(log))
    earlier = _newest(log.filter(pc.invert(is_last)))
    drops = earlier.filter(earlier["dropped"])
    drops = drops.join(rest.select(["batch", "piece"]), ["batch", "piece"], join_type="left semi")
    kept = earlier.filter(pc.invert(earlier["dropped"])), drops, log.filter(is_last)
    places = pa.concat_tables([each.select(["place"]) for each in kept])["place"]
    return rows.take(places.filter(pc.greater_equal(places, 0)))


def count_spare(log: pa.Table) -> int:
    """Return by how much unneeded rows outnumber the others."""
    return len(log) - 2 * len(needed(log.select(KEYS)))


def _newest(log: pa.Table) -> pa.Table:
    """Return the row with the greatest sequence number for each piece."""
    return _take(log, _place_newest(log))


def _take(log: pa.Table, places: np.ndarray) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    is_moved = places != np.arange(len(places))
    first = int(is_moved.argmax()) if is_moved.any() else len(places)
    # Copying a hundred thousand rows takes longer than ingesting one run.
    head = log.slice(0, first)
    return pa.concat_tables([head, log.take(pa.array(places[first:]))]) if is_moved.any() else head


def _place_newest(log: pa.Table, *, with_dropped: bool = True) -> np.ndarray:
    import numpy as np

    batch, piece, seq = (log[name].to_numpy() for name in ("batch", "piece", "seq"))
    steps = np.diff(batch), np.diff(piece)
    if ((steps[0] > 0) | (steps[0] == 0) & (steps[1] > 0)).all():
        places = np.arange(len(log))  # in order, and each piece once: nothing was ever replaced
    else:
        order: np.ndarray = np.lexsort((seq, piece, batch))
        is_end = np.ones(len(order), dtype=bool)
        is_end[:-1] = (np.diff(batch[order]) != 0) | (np.diff(piece[order]) != 0)
        places = order[is_end]
    return places if with_dropped else places[~log["dropped"].to_numpy()[places]]


def without_log(rows: pa.Table) -> pa.Table:
    """Return rows without the log's columns."""
    return rows.drop_columns([name for name in LOG_COLUMNS if name in rows.column_names])
