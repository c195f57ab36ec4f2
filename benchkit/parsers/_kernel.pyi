from numpy import ndarray

def keep_memory() -> None: ...
def count(data: bytes, byte: int, /) -> int: ...
def find_all(data: bytes, byte: int, places: ndarray, /) -> None: ...
def find_first(
    data: bytes, starts: ndarray, byte: int, limit: int, lengths: ndarray, /
) -> None: ...
def read_lines(
    data: bytes,
    first: int,
    end: int,
    shape: bytes,
    starts: ndarray,
    ends: ndarray,
    numbers: ndarray,
    more: ndarray,
    good: ndarray,
    /,
) -> int: ...
def holds(data: bytes, starts: ndarray, text: bytes, equal: ndarray, /) -> None: ...
def repeats(data: bytes, starts: ndarray, sizes: ndarray, equal: ndarray, /) -> None: ...
def group_equal(data: bytes, starts: ndarray, sizes: ndarray, labels: ndarray, /) -> bytes: ...
def read_integers(
    data: bytes, starts: ndarray, lengths: ndarray, numbers: ndarray, good: ndarray, /
) -> None: ...
def read_decimals(
    data: bytes,
    starts: ndarray,
    lengths: ndarray,
    digits: ndarray,
    places: ndarray,
    good: ndarray,
    /,
) -> None: ...
def find_messages(
    data: bytes, place: int, end: int, prefix: bytes, places: ndarray, ends: ndarray, /
) -> int: ...
def read_structs(
    data: bytes,
    places: ndarray,
    ends: ndarray,
    shapes: str,
    most: int,
    numbers: ndarray,
    more: ndarray,
    good: ndarray,
    /,
) -> None: ...
