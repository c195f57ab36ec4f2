"""What an object store refuses is explained by its address, and not by damage in the store."""

from __future__ import annotations

import pytest
from deltalake.exceptions import DeltaError

from benchkit.errors import StoreError
from benchkit.store.conflicts import translated


@pytest.mark.parametrize("verb", ["POST", "PUT"])
def test_a_bucket_that_does_not_exist_is_no_damage(verb: str) -> None:
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
