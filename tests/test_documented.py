"""Every public name is documented, with an example that runs as a doctest."""

from __future__ import annotations

import inspect

import pytest
from public_names import public_members

import benchkit
from benchkit import Comparison, RunSet, stats
from benchkit.plots.drawing import Drawing, Plots

_RESULT = "a result: the example of the function that returns it shows it"
#: Public names without an example, and the reason.
WITHOUT_EXAMPLE = {
    "__version__": "a text",
    **dict.fromkeys(("BenchkitError", "DataError", "SchemaError"), "raised, and then printed"),
    "RunSet.choose_pairs": "what `compare` does first; for the gate",
    "RunSet.require_label": "what `--by` does first",
    "Comparison.material": "what `plot` hands to the figures",
    **dict.fromkeys(
        (
            "ChangePoint", "Components", "Correlation", "Course", "Estimate", "ExactDifference",
            "Modes", "QuantileChange", "RankRows", "Spread", "TestResult", "Trend",
        ),
        _RESULT,
    ),
}  # fmt: skip
NAMES = {
    **{name: getattr(benchkit, name) for name in benchkit.__all__},
    **{name: getattr(stats, name) for name in stats.__all__},
}
MEMBERS = [
    (owner, name, member)
    for owner in (RunSet, Comparison, Plots, Drawing)
    for name, member in public_members(owner)
]


def examples(value: object) -> str:
    lines = map(str.strip, (inspect.getdoc(value) or "").splitlines())
    return "\n".join(line for line in lines if line.startswith((">>>", "...")))


@pytest.mark.parametrize("name", NAMES)
def test_public_name_has_a_docstring_with_an_example(name: str) -> None:
    text = inspect.getdoc(NAMES[name]) or ""
    assert text.partition("\n")[0].endswith((".", ":")) or name == "__version__"
    assert bool(examples(NAMES[name])) != (name in WITHOUT_EXAMPLE)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_and_returns_are_documented(name: str) -> None:
    value = NAMES[name]
    if not inspect.isfunction(value):
        return
    text, signature = inspect.getdoc(value) or "", inspect.signature(value)
    assert all(parameter in text for parameter in signature.parameters)
    assert not signature.parameters or "Parameters\n---" in text


@pytest.mark.parametrize(
    ("owner", "name", "member"), MEMBERS, ids=[f"{owner.__name__}.{n}" for owner, n, _ in MEMBERS]
)
def test_method_has_its_sections(owner: type, name: str, member: object) -> None:
    text = inspect.getdoc(member) or ""
    assert text.partition("\n")[0].endswith(".")
    is_exempted = f"{owner.__name__}.{name}" in WITHOUT_EXAMPLE
    assert ("Examples\n---" in text and bool(examples(member))) != is_exempted
    if is_exempted or not inspect.isfunction(member):
        return
    names = [name for name in inspect.signature(member).parameters if name != "self"]
    assert all(name in text for name in names)
    assert not names or "Parameters\n---" in text
    assert "Returns\n---" in text


def test_exempted_names_exist() -> None:
    members = {f"{owner.__name__}.{name}" for owner, name, _ in MEMBERS}
    assert set(WITHOUT_EXAMPLE) <= members | set(NAMES)
