r"""Logs of agents and traced servers: the number of requests they saw and of spans they sent.

An agent that counts during the load shows whether it saw every request, without any backend.

OBI (``OTEL_EBPF_TRACE_PRINTER=counter``) prints at its end::

    Processed 30002 requests

A server that exports its spans itself, verbatim::

    2026/11/20 23:55:53 listening, otel=true
    2026/11/20 23:56:23 http: Server closed
    2026/11/20 23:56:23 Exported 30004 spans in 59 batches
    2026/11/20 23:56:23 Processed 15002 requests

A server without an agent prints ``Served 15002 requests``: *requests* with the subject ``server``.

Meaning of the numbers: ``Processed`` is a span per request and traced layer (OBI sees HTTP and SQL:
two per request of the load), recorded as *spans_created* with the subject ``obi``, ``beyla`` or
``agent``. ``Exported`` is *spans_saved* with the subject ``exporter``: it counts all spans of a
request, so the two have different subjects and must not be subtracted.

Versions: OBI and Beyla with the counter printer; any log with these lines.

Not recorded: times with a zone, lost spans, the version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.regexes import regex

_START = r"^[ \t#>|*/]*+(?:\d{4}[-/]\d\d[-/]\d\d[T ]\S++ ++|[\w.-]++ ++\| *+)*+"
_PROCESSED = regex(_START + r"Processed (\d{1,15}) requests[ \t\r]*+$", re.MULTILINE)
_SERVED = regex(_START + r"Served (\d{1,15}) requests[ \t\r]*+$", re.MULTILINE)
_EXPORTED = regex(_START + r"Exported (\d{1,15}) spans in \d+ batches\s*$")
_AGENT = regex(r"\b(?:component=|OTEL_EBPF_|bin/)?(obi|beyla)\b", re.IGNORECASE)


def _recognises(head: Head) -> bool:
    return any(
        word in head.text and sign.search(head.text) is not None
        for word, sign in (("Processed ", _PROCESSED), ("Served ", _SERVED))
    )


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per line that counts requests.

    Examples
    --------
    >>> log = b"Exported 30004 spans in 59 batches\nProcessed 15002 requests\n"
    >>> (reading,) = _parse(Source(None, "server.log", log))
    >>> [(row[0], row[1], row[3]) for row in reading.rows]
    [('exporter', 'spans_saved', 30004), ('agent', 'spans_created', 15002)]
    """
    agent, sent, is_empty = "agent", None, True
    for number, line in source.lines():
        if exported := _EXPORTED.match(line):
            sent = (number, int(exported[1]))
        elif processed := _PROCESSED.match(line):
            first = sent[0] if sent else number
            reading = Reading(tool="server", form="log", line=first, last_line=number)
            if sent:
                reading.add("spans_saved", "count", sent[1], "1", sent[0], subject="exporter")
            reading.add("spans_created", "count", int(processed[1]), "1", number, subject=agent)
            yield reading
            sent, is_empty = None, False
        elif served := _SERVED.match(line):
            reading = Reading(tool="server", form="log", line=number, last_line=number)
            reading.add("requests", "count", int(served[1]), "1", number, subject="server")
            yield reading
            is_empty = False
        elif named := _AGENT.search(line):
            agent = named[1].lower()
    if is_empty:
        yield Diagnostic(source.label, 0, "no line has the number of processed requests")


LOG = Format(
    name="server",
    tools=("server",),
    words=("Processed ", "Served "),
    anchors=(
        ("Processed ", r"\d+ requests\s*$"),
        ("Served ", r"\d+ requests\s*$"),
    ),
    summary="logs of agents (OBI, Beyla) and traced servers: requests and sent spans",
    forms=(
        Form(
            name="log",
            signature="Processed N requests; Exported N spans in M batches; Served N requests",
            versions="OBI and Beyla with the counter printer; servers that write such lines",
            not_recorded="when it ran, the version, how many spans were lost",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    embeds=True,
    is_companion=True,
)

TOOLS = (
    Tool(
        name="server",
        formats=(LOG,),
        role="companion",
        metrics={"requests": "", "spans_created": "", "spans_saved": ""},
    ),
)
