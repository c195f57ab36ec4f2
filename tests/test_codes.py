"""Texts stored as codes equal the plain texts."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from benchkit import api
from benchkit.codes import code, is_coded, match_rows, number_maps, spell_out
from benchkit.ingestion.discovery import Options


def test_codes_are_sorted_by_text_across_chunks() -> None:
    parts = [pa.array(each, pa.string()).dictionary_encode() for each in (["b", None], ["a", "b"])]
    for texts in (["b", None, "a", "b"], pa.chunked_array(parts)):
        coded = code(texts)
        assert coded.categories.tolist() == ["a", "b"]
        assert coded.codes.tolist() == [1, -1, 0, 1]
    assert code([]).tolist() == code(pa.chunked_array([], pa.string())).tolist() == []


def test_results_with_codes_equal_those_with_texts() -> None:
    results = api.read(["fixtures/redis-gobench/pinned"], Options(), None)
    plain = api.load("fixtures/redis-gobench/pinned")
    for coded, spelled in ((results.observations, plain.observations), (results.runs, plain.runs)):
        assert is_coded(coded["benchmark"].array)
        assert not any(is_coded(spelled[name]) for name in spelled)
        pd.testing.assert_frame_equal(spell_out(coded), spelled)


def test_maps_are_numbered_by_content_not_identity() -> None:
    shared = {"commit": "c861e65"}
    numbers, maps = number_maps(pd.Series([shared, {}, None, dict(shared), shared, {"cpu": "A"}]))
    assert numbers.tolist() == [0, 1, 1, 0, 0, 2]
    assert maps == [shared, {}, {"cpu": "A"}]
    assert number_maps(pd.Series([], dtype=object))[1] == []


def test_row_matches_the_last_of_its_labels_for_any_codes() -> None:
    other = pd.DataFrame({"variant": pd.Categorical(["b", "a", "b"]), "run": [1, 1, 1]})
    sought = pd.DataFrame({"variant": ["c", "b", "a", "b", "a"], "run": [1, 1, 1, 2, 2]})
    names = ["variant", "run"]
    assert match_rows(sought, other, names).tolist() == [-1, 2, 1, -1, -1]
    assert match_rows(sought, other.iloc[:0], names).tolist() == [-1] * 5
    assert match_rows(sought.iloc[:0], other, names).tolist() == []
