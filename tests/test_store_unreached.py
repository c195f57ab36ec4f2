"""Refusals of an object store are explained by its address, not by damage in the store."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from deltalake.exceptions import DeltaError

from benchkit.errors import StoreError
from benchkit.store.conflicts import translated


@pytest.mark.parametrize("verb", ["POST", "PUT"])
def test_missing_bucket_is_not_damage(verb: str) -> None:
    refusal = (
        f"Object at location x/marks.key not found: Error performing {verb} "
        "http://127.0.0.1:5055/nobucket/x/marks.key?uploads= in 5.9ms - Server returned "
        "non-2xx status code"
    )
    advice = "nothing was changed; check its address"
    with pytest.raises(StoreError, match=advice), translated("s3://nobucket/x"):
        raise DeltaError(refusal)
    advice, read = "run `benchkit store check`", refusal.replace(f"ing {verb}", "ing GET")
    with pytest.raises(StoreError, match=advice), translated("s3://bucket/x"):
        raise DeltaError(read)


def test_missing_credentials_are_one_error_without_a_log() -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    nowhere = {"AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, "-m", "benchkit", "runs", "--store", "s3://bucket/x"],
        env=kept | nowhere, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith("benchkit: error: s3://bucket/x/runs: the store failed: ")
    assert "your credentials and the network" in line
