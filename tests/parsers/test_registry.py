"""The registry: one way for all formats, all are tried, two claims are an error naming both."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from benchkit.errors import AmbiguousFormatError, ConfigError, UnknownFormatError
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Head, Record, Tool
from benchkit.reading.source import HEAD_BYTES, Source, UnreadableError

FIXTURES = Path(__file__).parents[2] / "fixtures"


def make_format(name: str, mark: str, *, tool: str = "", embeds: bool = False) -> Format:
    def recognises(head: Head) -> bool:
        return mark in head.text and (embeds or head.is_start)

    def parse(_source: Source) -> Iterator[Record]:
        return iter(())

    return Format(
        name=name,
        tools=(tool or name, f"{tool or name}2"),
        summary="",
        forms=(),
        recognises=recognises,
        parse=parse,
        embeds=embeds,
    )


OWNER = make_format("owner", "OWNER")
RIVAL = make_format("rival", "RIVAL")
BLOCK = make_format("block", "BLOCK", embeds=True)
PIECE = make_format("piece", "PIECE", embeds=True)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    every = (OWNER, RIVAL, BLOCK, PIECE)

    def candidates(_: Head, among: frozenset[str] | None = None) -> tuple[Format, ...]:
        return tuple(each for each in every if among is None or each.name in among)

    monkeypatch.setattr(registry, "formats", lambda: every)
    monkeypatch.setattr(registry, "candidates", candidates)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("a_plugin")
    monkeypatch.setitem(sys.modules, "a_plugin", module)
    return module


def point(name: str, target: str = "a_plugin:FORMAT") -> EntryPoint:
    return EntryPoint(name, target, registry.GROUP)


def source(text: str) -> Source:
    return Source(None, "otlp/1.txt", text.encode())


def names(text: str) -> list[str]:
    return [claim.name for claim in registry.identify(source(text))]


FAR = "x\n" * HEAD_BYTES


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("OWNER", ["owner"]),
        ("log\nBLOCK", ["block"]),
        ("PIECE then BLOCK", ["block", "piece"]),
        (FAR + "BLOCK", ["block"]),
        ("PIECE\n" + FAR + "BLOCK", ["piece", "block"]),
        ("OWNER\n" + FAR + "BLOCK", ["owner"]),
    ],
    ids=["owner", "block", "two blocks", "far down", "near and far", "an owner is not searched"],
)
def test_every_format_may_claim_a_source(text: str, claims: list[str]) -> None:
    assert names(text) == claims


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("text", "both"),
    [("OWNER RIVAL", "owner and rival"), ("OWNER BLOCK", "owner and block")],
)
def test_two_claims_are_an_error_that_names_both(text: str, both: str) -> None:
    with pytest.raises(AmbiguousFormatError) as error:
        names(text)
    hint = "choose one with --as FORMAT, or as_format= in Python"
    assert str(error.value) == f"otlp/1.txt: claimed by {both}; {hint}"


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty"),
        (b" \r\n\n", "the file is blank"),
        (b"\x89\x00\x00", "the file is binary, in an unknown format"),
        (b"\n  hello world\n", "unknown format (it starts with 'hello world')"),
        (FAR.encode(), "unknown format (it starts with 'x')"),
        (FAR.encode() + b"\0BLOCK", "unknown format (it starts with 'x')"),
    ],
    ids=["empty", "blank", "binary", "other text", "long text", "text that turns binary"],
)
def test_unclaimed_source_is_described(data: bytes, why: str) -> None:
    with pytest.raises(UnknownFormatError) as error:
        registry.identify(Source(None, "a.txt", data))
    assert error.value.what == why
    assert len(str(error.value)) < 200


@pytest.mark.usefixtures("known")
def test_long_first_line_is_shortened() -> None:
    with pytest.raises(UnknownFormatError) as error:
        names("yes " * 500)
    assert "yes " * 14 in str(error.value)
    assert "yes " * 16 not in str(error.value)


def test_damaged_gzip_is_unreadable_rather_than_unknown() -> None:
    with pytest.raises(UnreadableError):
        registry.identify(Source(None, "a.gz", b"\x1f\x8b\x08"))


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(("name", "format_"), [("owner", OWNER), ("block2", BLOCK)])
def test_format_is_found_by_its_name_or_its_tool(name: str, format_: Format) -> None:
    assert registry.by_name(name) == (format_,)


SUMMARY = make_format("summary", "SUMMARY", tool="tool")
TOOL = make_format("tool", "REPORT", embeds=True)
RAW = make_format("raw", "RAW", tool="tool")


@pytest.mark.parametrize(
    ("text", "name", "chosen"),
    [
        ("RAW", "tool", [RAW]),
        ("REPORT", "tool", [TOOL]),
        ("SUMMARY REPORT", "tool", [SUMMARY, TOOL]),
        ("neither", "tool", [TOOL]),
        ("RAW", "summary", [SUMMARY]),
        ("SUMMARY", "tool2", [SUMMARY]),
        ("neither", "tool2", [SUMMARY]),
    ],
)
def test_tool_name_selects_its_formats_that_claim_the_source(
    monkeypatch: pytest.MonkeyPatch, text: str, name: str, chosen: list[Format]
) -> None:
    monkeypatch.setattr(registry, "formats", lambda: (OWNER, SUMMARY, TOOL, RAW))
    assert registry.choose(source(text), name) == tuple(chosen)


@pytest.mark.usefixtures("known")
def test_single_format_of_a_name_is_chosen_without_the_source() -> None:
    assert registry.choose(Source(None, "a.gz", b"\x1f\x8b\x08"), "owner") == (OWNER,)


@pytest.mark.parametrize(
    ("path", "tool", "name"),
    [
        ("k6-edge/small/k6-small.txt", "k6", "k6"),
        ("k6-edge/small/k6-raw-small.json.gz", "k6", "k6_raw"),
        ("k6-edge/nested/k6-export-3.json", "k6", "k6_summary"),
        ("vegeta-edge/old/v12.8.0.bin", "vegeta", "vegeta_raw"),
        ("vegeta-edge/old/v12.8.0-report.json", "vegeta", "vegeta"),
    ],
)
def test_tool_name_selects_the_format_of_a_real_file(path: str, tool: str, name: str) -> None:
    chosen = registry.choose(Source.load(FIXTURES / path), tool)
    assert [form.name for form in chosen] == [name]


@pytest.mark.usefixtures("known")
def test_unknown_name_lists_the_known_formats() -> None:
    with pytest.raises(ConfigError) as error:
        registry.choose(source("OWNER"), "jmeter")
    assert "jmeter" in error.value.what
    assert error.value.hint == "known formats: block, owner, piece, rival"


def test_plugin_is_loaded_like_the_built_ins(plugin: ModuleType) -> None:
    vars(plugin)["FORMAT"] = OWNER
    _, loaded = registry.load((*registry.BUILTIN, point("owner")))
    assert loaded[-1] is OWNER
    assert loaded[:-1] == registry.load(registry.BUILTIN)[1]


def test_plugin_provides_a_tool_with_its_formats(plugin: ModuleType) -> None:
    tool = Tool(name="owner", formats=(OWNER, BLOCK), role="load", load_model="open")
    vars(plugin)["FORMAT"] = tool
    assert registry.load([point("owner")]) == ((tool,), (OWNER, BLOCK))


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("no_such_module:FORMAT", "cannot be loaded: No module named 'no_such_module'"),
        ("a_plugin:MISSING", "cannot be loaded: .*MISSING"),
        ("a_plugin:NUMBER", "is neither a Tool nor a Format"),
        ("a_plugin:LEAVING", "cannot be loaded: 3"),
        ("a_plugin:NOTHING", "is neither a Tool nor a Format"),
        ("a_plugin:WORDLESS", "has a format with a wrong value of words"),
        ("a_plugin:NAMELESS", "has a format with a wrong value of name"),
        ("a_plugin:FORMLESS", "has no name or no formats"),
    ],
)
def test_broken_plugin_is_skipped_with_a_warning(plugin: ModuleType, target: str, why: str) -> None:
    def leave(name: str) -> None:
        raise SystemExit(3) if name == "LEAVING" else AttributeError(name)

    wrong = {
        "WORDLESS": replace(OWNER, words=None),  # type: ignore[arg-type]
        "NAMELESS": Tool(name="theirs", formats=(replace(OWNER, name=""),)),
        "FORMLESS": Tool(name="theirs", formats=None),  # type: ignore[arg-type]
    }
    vars(plugin).update(FORMAT=OWNER, NUMBER=7, NOTHING=None, __getattr__=leave, **wrong)
    with pytest.warns(UserWarning, match=rf"plug-in broken \({target}\) {why}"):
        loaded = registry.load([point("broken", target), point("owner")])
    assert loaded == ((), (OWNER,))


def test_first_of_two_formats_with_one_name_is_kept(plugin: ModuleType) -> None:
    vars(plugin).update(FORMAT=OWNER, AGAIN=make_format("owner", "other"))
    with pytest.warns(UserWarning, match=r"\(a_plugin:AGAIN\): a format owner already exists"):
        loaded = registry.load([point("owner"), point("again", "a_plugin:AGAIN")])
    assert loaded == ((), (OWNER,))


def test_installed_plugins_come_after_the_built_ins_by_name(
    plugin: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    vars(plugin).update(FORMAT=OWNER, RIVAL=RIVAL)
    installed = [point("b", "a_plugin:RIVAL"), point("a")]
    monkeypatch.setattr(registry, "entry_points", lambda **_: installed)
    registry.load_all.cache_clear()
    try:
        every = [candidate.name for candidate in registry.formats()]
    finally:
        registry.load_all.cache_clear()
    assert every[-2:] == ["owner", "rival"]
    assert every[:-2] == [each.name for each in registry.load(registry.BUILTIN)[1]]


def test_built_ins_load_and_have_descriptions() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tools, loaded = registry.load(registry.BUILTIN)
    assert len(tools) >= len(registry.BUILTIN)
    for format_ in loaded:
        assert format_.tools or format_.is_export
        assert re.search(r"\w", format_.summary)
        assert format_.forms
        assert all(form.signature and form.versions and form.not_recorded for form in format_.forms)
