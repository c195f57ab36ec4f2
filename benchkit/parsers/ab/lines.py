"""The lines of a report of ab: their order, and how each is known.

A number is taken only from a line that is whole; what is cut or changed does not match and is not
guessed.
"""

from __future__ import annotations

import re

#: The lines of a report in the order in which they are printed, in every version.
SOFTWARE, HOST, PORT, TLS, PATH, LENGTH = range(6)
CONCURRENCY, TAKEN, WINDOW, COMPLETE, FAILED, REASONS, WRITE, NON2XX, KEPT = range(6, 15)
TRANSFERRED, SENT, RPS, PER_REQUEST, ACROSS = range(15, 20)
RATE, RATE_SENT, TIMES, CONNECT, PROCESSING, WAITING, TOTAL, PERCENTAGE, PERCENT = range(20, 29)
#: Not lines of a report, but of the run around it.
BANNER, BEGUN, PROGRESS, FINISHED, STOPPED, DONE, LOGGED, TROUBLE, FATAL = range(-1, -10, -1)

#: None where the line is known by its label but its value is cut or changed.
Fields = tuple[str, ...] | None

_COUNT = r"(\d{1,15})"
_DECIMAL = r"(\d{1,15}\.\d{2,3})"
_MS = r"(\d{1,12})"
_ROW = rf"{_MS}\s+{_MS}(?:\s+(\d{{1,12}}\.\d)\s+{_MS})?\s+{_MS}"

_BY_LABEL = {
    label: (rank, re.compile(pattern))
    for label, rank, pattern in (
        ("Server Software", SOFTWARE, r"(.*)"),
        ("Server Hostname", HOST, r"(\S+)"),
        ("Server Port", PORT, r"(\d{1,5})"),
        ("SSL/TLS Protocol", TLS, r"(\S.*)"),
        ("Document Path", PATH, r"(\S.*)"),
        ("Document Length", LENGTH, r"(\d{1,15} bytes|Variable)"),
        ("Concurrency Level", CONCURRENCY, r"(\d{1,9})"),
        ("Time taken for tests", TAKEN, r"(\d{1,9})\.(\d{3,6}) seconds"),
        ("Number of requests", WINDOW, _COUNT + r"( \(window\))?"),
        ("Complete requests", COMPLETE, _COUNT),
        ("Failed requests", FAILED, _COUNT),
        ("Write errors", WRITE, _COUNT),
        ("Broken pipe errors", WRITE, _COUNT),
        ("Non-2xx responses", NON2XX, _COUNT),
        ("Keep-Alive requests", KEPT, _COUNT),
        ("Total transferred", TRANSFERRED, _COUNT + " bytes"),
        ("Total body sent", SENT, _COUNT),
        ("Total POSTed", SENT, _COUNT),
        ("Total PUT", SENT, _COUNT),
        ("Requests per second", RPS, _DECIMAL + r"( \[#/sec\] \(mean\))?"),
        ("Transfer rate", RATE, _DECIMAL + r" (?:\[Kbytes/sec\]|kb/s) received"),
        ("Connect", CONNECT, _ROW),
        ("Processing", PROCESSING, _ROW),
        ("Waiting", WAITING, _ROW),
        ("Total", TOTAL, _ROW),
    )
}
_PER_REQUEST = re.compile(_DECIMAL + r" \[ms\] \(mean(, across all concurrent requests)?\)")
_UNLABELLED = tuple(
    (rank, re.compile(pattern))
    for rank, pattern in (
        (PERCENT, rf"(\d{{1,3}})%\s+{_MS}(?: \((?:longest|last) request\))?"),
        (TIMES, r"Connn?ection Times \((\w+)\)"),
        (PERCENTAGE, r"Percentage of the requests served within a certain time \((\w+)\)"),
        (
            REASONS,
            (
                rf"\(Connect: {_COUNT}(?:, Receive: {_COUNT})?, Length: {_COUNT},"
                rf" Exceptions: {_COUNT}\)"
            ),
        ),
        (RATE, _DECIMAL + r" \[Kbytes/sec\] received"),
        (RATE_SENT, _DECIMAL + r" kb/s sent"),
        (BANNER, r"This is ApacheBench, Version (\d[\w.-]*)(?: .*)?"),
        (BEGUN, r"Benchmarking (\S+)(?: \[through [^\]]+\])? \(be patient\)(.*)"),
        (PROGRESS, r"Completed \d+ requests"),
        (FINISHED, r"Finished \d+ requests"),
        (STOPPED, r"Finished \d+ requests \(interrupted\)|\.{2,}+interrupted"),
        (DONE, r"\.{2,}+done"),
        (LOGGED, r"LOG: .*|INFO: .*|WARNING: Response code not 2xx \(.*"),
        (FATAL, rf"Total of {_COUNT} requests completed"),
        (
            TROUBLE,
            (
                r"((?:apr_\w++(?:\(\))?+[^:]*+|socket): \S.* \(\d+\)|SSL \w+ failed.*"
                r"|Send request (?:failed|timed out)!|Test aborted after \d+ failures)"
            ),
        ),
    )
)
_BEGINNINGS = frozenset("0123456789(.ABCFILPSTWas")

_FURNITURE = re.compile(
    r"[A-Z][\w/.+()-]*(?: [\w/.+()-]+){0,5}:(?: .*)?$|min +(?:mean|avg)|deviation apart\."
    r"|These results are|Copyright \d|Licensed to|\d% +<0> \(never\)|[\d.]+ kb/s total|-+$"
    r"|[\d.]{0,9} ?\[(?:#/sec|ms|Kbytes/sec)\]"
)
_LOG_PREFIX = re.compile(r"(?:\d{4}-\d\d-\d\dT\S+|[\w.-]+\s+\|)(?:\s+|$)")
_CLOSED = re.compile(
    r"(?:seconds|bytes|received|sent|\(mean\)|requests\)|request\)|requests completed"
    r"|Exceptions: \d+\)|\(be patient\)|</\w+>)\W*$"
)
#: Width of a row's label, of its three columns under ``-S``, and where the last two begin.
_LABEL, _NARROW, _MEAN, _MAX = 12, 16, 6, 11


def read_line(line: str) -> tuple[int, Fields] | None:
    """Tell which line of a report, or of the run around it, this is; None if it is none.

    Examples
    --------
    >>> read_line("Complete requests:      3000") == (COMPLETE, ("3000",))
    True
    >>> read_line("Complete requests:      many") == (COMPLETE, None)
    True
    """
    label, colon, value = line.partition(":")
    if colon and label == "Time per request":
        return _read_per_request(value.strip())
    if colon and label in _BY_LABEL:
        return _read_labelled(line, label, value.strip())
    if line[0] in _BEGINNINGS:
        for rank, pattern in _UNLABELLED:
            match = pattern.fullmatch(line)
            if match:
                return rank, match.groups()
    return None


def _read_labelled(line: str, label: str, value: str) -> tuple[int, Fields] | None:
    rank, pattern = _BY_LABEL[label]
    match = pattern.fullmatch(value)
    if match:
        return rank, match.groups()
    if rank == RATE and not value:  # Markdown sets the rates below their label
        return None
    return rank, _split_narrow(line) if CONNECT <= rank <= TOTAL else None


def _read_per_request(value: str) -> tuple[int, Fields]:
    match = _PER_REQUEST.fullmatch(value)
    if match is None:
        return PER_REQUEST, None
    return (ACROSS, ()) if match[2] else (PER_REQUEST, (match[1],))


def _split_narrow(line: str) -> Fields:
    """Split a row of ``-S`` by columns: ab sets no blank before a maximum of five digits."""
    row = line[_LABEL:]
    cells = (row[: _MEAN - 1], row[_MEAN:_MAX], row[_MAX:])
    if (
        len(row) != _NARROW
        or row[_MEAN - 1] != " "
        or not all(c.strip().isdecimal() for c in cells)
    ):
        return None
    least, mean, most = (cell.strip() for cell in cells)
    return least, mean, "", "", most


def without_log_prefix(line: str) -> str:
    """Drop the time or the name of a service that a log puts before a line."""
    match = _LOG_PREFIX.match(line)
    return line[match.end() :] if match else line


def is_furniture(line: str) -> bool:
    """Whether a line may stand inside a report though it holds nothing to keep."""
    return _FURNITURE.match(line) is not None


def may_be_cut(text: str) -> bool:
    """Whether a cut may have shortened a line unnoticed: a count of 1000 to 100."""
    return _CLOSED.search(text) is None
