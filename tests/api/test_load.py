"""`load` takes results from anywhere: folders, wildcards, a store, a URL, a frame."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import benchkit as bk
from benchkit.errors import ConfigError, DataError, SchemaError, SelectionError, StoreError
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    ingest([str(WRK / "none"), str(WRK / "otlp")], Store(str(folder)), Options(), jobs=1)
    return folder


def test_wildcard_yields_files_in_natural_order() -> None:
    results = bk.load(str(WRK / "otlp" / "wrk-[1-3].txt"))
    assert results.variants == ["otlp"]
    assert results.runs["run"].tolist() == [1, 2, 3]


def test_wildcard_can_have_a_label() -> None:
    results = bk.load(f"new={WRK}/otlp/wrk-[1-8].txt", f"old={WRK}/none/wrk-[1-8].txt")
    assert set(results.variants) == {"new", "old"}
    assert len(results.runs) == 16


def test_wildcard_without_matches_is_named() -> None:
    with pytest.raises(DataError, match=r"k6-\*\.json: no file or folder matches"):
        bk.load("k6-*.json")


def test_folder_named_like_a_wildcard_is_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "otlp[1]"
    folder.mkdir()
    (folder / "wrk-1.txt").write_bytes((WRK / "otlp" / "wrk-1.txt").read_bytes())
    assert bk.load(folder).variants == ["otlp[1]"]


def test_store_is_loaded_by_folder_and_url(store: Path) -> None:
    by_folder, by_url = bk.load(store), bk.load(store.as_uri())
    assert by_url.variants == by_folder.variants == ["none", "otlp"]
    assert by_url.observations.equals(by_folder.observations)
    assert bk.load(store=store.as_uri()).variants == ["none", "otlp"]


def test_two_files_of_one_variant_suggest_the_command_that_compares_them(
    tmp_path: Path,
) -> None:
    paths = [tmp_path / "none-1.txt", tmp_path / "none-2.txt"]
    for path, value in zip(paths, (12, 13), strict=True):
        path.write_text(f"BenchmarkPing-2 \t 100 \t {value}.5 ns/op\n", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        bk.load(*paths).compare()
    assert refused.value.hint.endswith(f"compare before={paths[0]} after={paths[1]}")


def test_url_without_a_store_is_an_error(tmp_path: Path) -> None:
    with pytest.raises((DataError, StoreError), match="nowhere"):
        bk.load((tmp_path / "nowhere").as_uri())


def test_user_frame_equals_loaded_results() -> None:
    read = bk.load(WRK)
    frame = read.observations[read.observations["run"] > 2]
    results = bk.load(frame)
    assert results.observations.equals(frame)
    assert set(results.runs["role"]) == {"measured"}
    verdict = results.compare(baseline="none", variant="otlp").verdict
    assert verdict == frame.pipe(bk.compare, baseline="none", variant="otlp").verdict


def test_frame_is_independent_and_has_all_columns() -> None:
    frame = bk.load(WRK / "none").observations
    with pytest.raises(ConfigError, match=r"pandas\.concat"):
        bk.load(frame, WRK)
    with pytest.raises(ConfigError, match="must be the only argument"):
        bk.load(frame, variant="mine")
    with pytest.raises(SchemaError, match="variant"):
        bk.load(frame.drop(columns="variant"))


def test_extra_columns_are_dropped() -> None:
    frame = bk.load(WRK).observations
    more = frame.assign(rpm=frame["value"] * 60)
    assert more.pipe(bk.compare, baseline="none").verdict == bk.load(WRK).compare().verdict
    with pytest.raises(SchemaError, match=r"the table lacks the columns \['value'\];"):
        bk.load(more.rename(columns={"value": "vlaue"}))


def test_custom_metric_is_named_with_its_stat() -> None:
    rates = bk.load(WRK).observations.query("metric == 'request_rate'")
    waiting = {"metric": "wait", "unit": "s", "value": 8 / rates["value"], "resolution": None}
    waits = bk.load(rates.assign(**waiting))
    verdicts = ["unchanged", "changed", "changed", "changed"]
    for name in ("wait", "wait.mean"):  # it has no other statistic
        compared = waits.compare(baseline="none", metrics=[name]).frame
        assert compared.query("primary").verdict.tolist() == verdicts
    table = waits.observations
    several = bk.load(pd.concat([table.assign(stat=each) for each in ("p90", "p95")]))
    with pytest.raises(
        SelectionError, match=r"no default statistic for wait; name one: wait\.p90, wait\.p95"
    ):
        several.compare(baseline="none", metrics=["wait"])


def test_names_and_formats_can_be_set_as_on_the_command_line(tmp_path: Path) -> None:
    text = (WRK.parent / "redis-gobench/baseline.txt").read_text(encoding="utf-8")
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    renamed = bk.load(tmp_path, rename="s#^Redis/##").observations["benchmark"]
    assert not renamed.str.startswith("Redis/").any()
    assert bk.load(tmp_path, as_format="gobench").runs["tool"].unique().tolist() == ["gobench"]
    with pytest.raises(ConfigError, match=r"^rename: "):
        bk.load(tmp_path, rename=["Redis"])
    (tmp_path / "a.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(DataError):
        bk.load(tmp_path)
    with pytest.raises(DataError, match="--as FORMAT"):
        bk.load(tmp_path / "a.txt")
