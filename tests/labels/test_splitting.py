"""Variants in benchmark names, and the options that turn them into sides."""

from __future__ import annotations

import pytest

from benchkit.labels.splitting import suggest_split
from benchkit.selection import SIDE_NAMES


@pytest.mark.parametrize(
    ("names", "variants", "pattern"),
    [
        (("O/Baseline/Get", "O/OTel_On/Get"), ("Baseline", "OTel_On"), "/(?P<variant>"),
        (("O_Baseline/Get", "O/OTel_On/Get"), ("Baseline", "OTel_On"), "[/_](?P<variant>"),
        (("Get/OTel_On", "Get/OTel_Off"), ("Off", "On"), "_(?P<variant>"),
        (("Get/agent=off", "Get/agent=on"), ("off", "on"), "=(?P<variant>"),
        (("none/Get", "otlp/Get", "apm/Get"), ("apm", "none", "otlp"), "^(?P<variant>"),
        (("before_Get", "after_Get"), ("after", "before"), "^(?P<variant>"),
        (("a.none.Get", "a.otlp.Get"), ("none", "otlp"), None),
        (("Get-none", "Get-otlp", "Helper"), ("none", "otlp"), "-(?P<variant>"),
    ],
)
def test_names_that_differ_only_in_a_variant_are_split(
    names: tuple[str, ...], variants: tuple[str, ...], pattern: str | None
) -> None:
    split = suggest_split(names, SIDE_NAMES)
    if pattern is None:
        assert split is None
        return
    assert split is not None
    assert (split.variants, split.pattern.startswith(pattern)) == (variants, True)


@pytest.mark.parametrize(
    "names",
    [
        ("Redis/Ping", "Redis/Get"),
        ("Redis/none",),
        ("none", "otlp"),
        ("Get/none", "Set/otlp"),
        tuple(f"Get/{name}" for name in ("none", *map(str, range(20)))),
        ("x/" * 200 + "none", "x/" * 200 + "otlp"),
    ],
)
def test_names_without_two_sides_are_left_alone(names: tuple[str, ...]) -> None:
    assert suggest_split(names, SIDE_NAMES) is None
