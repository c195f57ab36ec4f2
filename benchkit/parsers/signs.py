"""By which words a built-in format may be there: asked before its module is imported.

In: the head of a source. Out: whether a format needs to be asked at all. Why: nineteen parsers are
a tenth of a second to import, and most sources are of one of them. A sign is a necessary condition
only; the format itself decides. A test holds every sign against every fixture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from benchkit.parsers.head import Head

_DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Sign:
    """What a source of a format always shows.

    Parameters
    ----------
    tools : tuple of str
        As the format's own.
    words : tuple of str
        One of them stands in its text,
    starts : str
        or its text begins with one of these characters.
    """

    tools: tuple[str, ...]
    words: tuple[str, ...]
    starts: str = ""


#: Format -> sign. Data without text, which may be in a binary format, is shown to all.
SIGNS: dict[str, Sign] = {
    "wrk": Sign(
        ("wrk", "wrk2"), (" threads and ", " requests in ", "(HdrHistogram - ", "unable to ")
    ),
    "ab": Sign(
        ("ab",),
        (
            "(be patient)",
            "Complete requests:",
            "[#/sec] (mean)",
            "(longest request)",
            " requests completed",
            "ApacheBench",
        ),
    ),
    "ab_tsv": Sign(("ab",), ("starttime\tseconds",)),
    "ab_csv": Sign(("ab",), ("Percentage served,",)),
    "hey": Sign(("hey",), ("Summary:", "resp wait:")),
    "hey_csv": Sign(("hey",), ("response-time,",)),
    "k6": Sign(("k6",), ("...:", " VUs, ")),
    "k6_summary": Sign(("k6",), (), "{<"),
    "k6_raw": Sign(("k6",), ("metric_name,", '"metric"')),
    "vegeta": Sign(
        ("vegeta",), ("[total", "[code:count]", '"latencies"', "Histogram", "Value(ms)")
    ),
    "vegeta_raw": Sign(("vegeta",), ('"latency"', "Result"), _DIGITS),
    "gobench": Sign(("gobench",), ("Benchmark", "FAIL", "panic: ", "fatal error: ")),
    "benchstat": Sign(("benchstat",), ("±", " delta")),
    "benchstat_files": Sign(("benchstat",), (",CI", "benchstat", "name")),
    "cadvisor": Sign(("cadvisor",), (), "{["),
    "exposition": Sign(
        ("cadvisor", "prometheus"),
        (
            "# HELP ",
            "# TYPE ",
            "# UNIT ",
            "container_",
            "pod_",
            "node_",
            "machine_",
            "cadvisor_",
            "otelcol_",
            "span_",
            "spans_",
        ),
    ),
    "prometheus": Sign(("prometheus",), (" =>", "scalar: ", "Time", "Series"), "{["),
    "docker-stats": Sign(("docker-stats",), ("CPU %", '"CPUPerc"'), "{["),
    "server": Sign(("server",), ("Processed ", "Served ")),
}


_RARE = '_"[=#\t±<(VHPC.'


def _rare_character(word: str) -> str:
    """Return the character of a word that few texts have, to look for first."""
    return next((character for character in _RARE if character in word), "")


_WORDS: dict[str, list[tuple[str, str]]] = {}
for _name, _sign in SIGNS.items():
    for _word in _sign.words:
        _WORDS.setdefault(_rare_character(_word), []).append((_word, _name))
_STARTS = tuple((first, name) for name, sign in SIGNS.items() for first in sign.starts)


def find_signs(head: Head) -> frozenset[str]:
    """Return the names of the formats whose signs are in a head; all where there is no text.

    Examples
    --------
    >>> sorted(find_signs(Head("x", b"", "BenchmarkPing 1 5 ns/op")))
    ['gobench']
    """
    return signs_in(head.text) if head.text else frozenset(SIGNS)


@lru_cache(maxsize=1)  # asked twice of each head: before prefixes are taken away, and after
def signs_in(text: str) -> frozenset[str]:
    """Return the names of the formats whose signs are in a text."""
    first = first_visible(text)
    found = {name for start, name in _STARTS if start == first}
    for character, words in _WORDS.items():
        if character in text:
            for word, name in words:
                if word in text:
                    found.add(name)
    return frozenset(found)


def first_visible(text: str) -> str:
    """Return the first character that is no blank; a line feed where there is none.

    Examples
    --------
    >>> first_visible(" {}")
    '{'
    """
    return text.lstrip("\ufeff \t\r\n")[:1] or "\n"
