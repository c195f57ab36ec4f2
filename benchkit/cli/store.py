"""``benchkit store``: check, repair, upgrade, vacuum and prune a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import options as o
from benchkit.cli import printing
from benchkit.cli.menu import Menu
from benchkit.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from benchkit.store import Store
    from benchkit.store.damage import Damage, Repaired


def register(app: typer.Typer) -> None:
    """Add the command and its verbs."""
    verbs = typer.Typer(
        name="store",
        cls=Menu,
        help="Check and repair the store: damage, old layouts, unused files, old runs.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog="Example: benchkit store check",
    )
    for verb in (check, repair, upgrade, vacuum):
        verbs.command(epilog=f"Example: benchkit store {verb.__name__}")(verb)
    verbs.command(epilog="Example: benchkit store prune --older-than 90d")(prune)
    app.add_typer(verbs)


def check(
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
    output: o.Output = None,
    store: o.StoreOption = None,
    quiet: o.Quiet = False,
) -> None:
    """Read every file of the store and list damaged ones; exit 3 if there are any."""
    chosen = o.choose(format, ("table", "json"))
    target = open_store(store)
    damage = target.check()
    if chosen == "json":
        from benchkit.reporting.json_text import format_json

        facts = {"store": target.url, "damage": _list_damage(damage)}
        printing.write(format_json({"format_version": 1, **facts}), output)
    elif damage:
        printing.write("".join(f"{one.where}: {one.message}\n" for one in damage), output)
    if damage:
        is_one = len(damage) == 1
        raise StoreError(
            f"{_count(len(damage))} {'is' if is_one else 'are'} damaged",
            where=target.url,
            hint="run `benchkit store repair` to continue without the lost data",
        )
    _say(f"{target.url}: no damage", quiet or chosen == "json")


def repair(
    store: o.StoreOption = None, format: o.DoneFormat = "text", quiet: o.Quiet = False
) -> None:
    """Drop what cannot be read, and list the sources to ingest again."""
    chosen = o.choose(format, o.DONE_FORMATS)
    target = open_store(store)
    with target.locked():
        done = target.repair()
    if chosen == "json":
        from benchkit.reporting.json_text import format_json

        facts = {
            "store": target.url, "damage": _list_damage(done.damage),
            "sources": list(done.sources), "runs_of_unknown_source": done.unknown,
            "damaged_key": done.key or None,
        }  # fmt: skip
        printing.write(format_json({"format_version": 1, **facts}), None)
    else:
        _show_repaired(target, done, quiet=quiet)


def _show_repaired(target: Store, done: Repaired, *, quiet: bool) -> None:
    """Print the sources to ingest again on stdout, and a report on stderr."""
    from benchkit.store.keys import CONSEQUENCE

    for one in done.damage:
        _say(f"{_name_deed(one)} {one.where}: {one.message}", quiet)
    for source in done.sources:
        printing.print_line(source)
    if done.key:
        _say(f"the damaged key is kept as {done.key}", quiet)
    if any(one.is_key for one in done.damage):
        _say(f"{target.url}: {CONSEQUENCE}", quiet)
    if not done.damage:
        _say(f"{target.url}: no damage", quiet)
    elif done.sources:
        count = len(done.sources)
        listed = "listed source" if count == 1 else f"{count} listed sources"
        how = "with the commands of before: paths given together are labelled together"
        _say(f"{target.url}: ingest the {listed} again, {how}", quiet)
    if done.unknown:
        runs = "1 lost run" if done.unknown == 1 else f"{done.unknown} lost runs"
        printing.print_line(
            f"{target.url}: the source of {runs} is unknown; ingest all folders of this store "
            "again",
            err=True,
        )


def upgrade(
    store: o.StoreOption = None, format: o.DoneFormat = "text", quiet: o.Quiet = False
) -> None:
    """Upgrade a store of an earlier benchkit to current label rules and file layout."""
    from benchkit.ingestion.upgrade import settle_store

    chosen = o.choose(format, o.DONE_FORMATS)
    target = open_store(store)
    with target.locked():
        settle_store(target)
        target.tidy(thoroughly=True, rewrite=True)
    facts = {"store": target.url}
    printing.print_done(f"{target.url}: upgraded", facts, chosen, quiet=quiet)


def vacuum(
    store: o.StoreOption = None, format: o.DoneFormat = "text", quiet: o.Quiet = False
) -> None:
    """Delete what neither the store nor `undo` needs, and merge small files.

    If the last change dropped old runs (`store prune`, `history prune`), `undo` cannot bring them
    back afterwards.

    Unneeded files stay for a while, because a running command may still use them: one hour after
    a change to the store dropped them; one day if no change ever referred to them.
    """
    chosen = o.choose(format, o.DONE_FORMATS)
    target = open_store(store)
    with target.locked():
        done = target.tidy(thoroughly=True)
    counts = {
        "dropped as unneeded": done.dropped,
        "merged": done.rewritten,
        "deleted from disk": done.deleted,
    }
    parts = [f"{_count(count)} {deed}" for deed, count in counts.items() if count]
    if done.is_full:
        parts.append("no space to merge small files")
        if done.dropped:
            parts.append("run it again in 1 hour to delete what was dropped")
    facts = {"store": target.url, "files": asdict(done)}
    line = f"{target.url}: {'; '.join(parts) or 'nothing to do'}"
    printing.print_done(line, facts, chosen, quiet=quiet)


def prune(
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="Age of an ingest, e.g. 90d or 36h.")
    ],
    keep: Annotated[
        int,
        typer.Option(
            min=0, help="Number of newest ingests of each variant to keep, whatever their age."
        ),
    ] = 1,
    store: o.StoreOption = None,
    format: o.DoneFormat = "text",
    quiet: o.Quiet = False,
) -> None:
    """Drop the runs of old ingests; `benchkit undo` reverts it until the next `store vacuum`."""
    from benchkit.ingestion.retention import prune_ingests

    chosen = o.choose(format, o.DONE_FORMATS)
    before = _read_age(older_than)
    target = open_store(store)
    done = prune_ingests(target, before, keep)
    runs = "1 run" if done.runs == 1 else f"{done.runs} runs"
    parts = [f"dropped {runs} of {_count_ingests(done.ingests)} before {before:%Y-%m-%d %H:%M} UTC"]
    if done.kept:
        newest = "it is" if done.kept == 1 else "they are"
        parts.append(
            f"kept {_count_ingests(done.kept)} of that age: {newest} the newest of a variant"
        )
    if done.ingests:
        parts.append("run `benchkit store vacuum` to free the space")
    facts = {
        "store": target.url, "before": f"{before:%Y-%m-%dT%H:%M:%SZ}", "runs": done.runs,
        "ingests": done.ingests, "kept": done.kept,
    }  # fmt: skip
    printing.print_done(f"{target.url}: {'; '.join(parts)}", facts, chosen, quiet=quiet)


def _read_age(text: str) -> datetime:
    """Return the time before which ingests are old enough."""
    from benchkit.units import parse_duration

    hint = "give a number with a unit: d (days), h or m, e.g. 90d"
    error = ConfigError(f"{text!r} is not an age", where="--older-than", hint=hint)
    try:
        seconds = parse_duration(text).value
        if seconds < 0:
            raise error
        return datetime.now(UTC) - timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        raise error from None


def _count_ingests(count: int) -> str:
    return "1 ingest" if count == 1 else f"{count} ingests"


def _list_damage(damage: Iterable[Damage]) -> list[dict[str, str]]:
    return [{"where": one.where, "message": one.message} for one in damage]


def _count(files: int) -> str:
    return "1 file" if files == 1 else f"{files} files"


def _name_deed(one: Damage) -> str:
    if one.is_key:
        return "created a new key to replace"
    return "rewrote the log of commits, leaving out" if one.is_log else "dropped"


def open_store(url: str | None) -> Store:
    """Return the store that ``--store`` names; refuse a path that is not a store."""
    from benchkit.store import Store, choose_place

    target = Store(choose_place(url))
    if not target.is_store():
        raise StoreError("no store here", where=target.url, hint="run `benchkit ingest` first")
    return target


def _say(text: str, quiet: bool) -> None:
    if not quiet:
        printing.print_line(text, err=True)
