"""Cgroups that include others, at any depth."""

from __future__ import annotations

import pytest
from scaling import assert_linear

from benchkit.parsers.containers import Container, nested


def find_nested(*keys: str, named: str = "") -> set[str]:
    return set(nested(Container(key, key, is_named=key == named) for key in keys))


@pytest.mark.parametrize(
    ("keys", "parents"),
    [
        (("/a/b", "/a-1", "/a", "/a.b/c"), {"/a"}),
        (("/", "/a/b/c", "/a/x", "/a/b"), {"/", "/a/b"}),
        (("a", "a/b", "/a/b/"), set()),
        (("/a/", "/a", "/a/b"), {"/a", "/a/"}),
    ],
)
def test_cgroup_includes_its_children(keys: tuple[str, ...], parents: set[str]) -> None:
    assert find_nested(*keys) == parents


def test_cgroup_inside_a_container_is_included_in_it() -> None:
    keys = ("/", "/docker/1", "/docker/1/init", "/docker/10")
    assert find_nested(*keys, named="/docker/1") == {"/", "/docker/1/init"}


def test_path_of_many_parts_takes_linear_time() -> None:
    assert find_nested("/a", "/a" + "/" * 1000) == {"/a"}
    assert_linear(lambda size: "/a" + "/" * size, lambda path: find_nested("/a", path), 1_000_000)
