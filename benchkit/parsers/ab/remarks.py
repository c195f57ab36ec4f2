"""What can be said of a whole report of ab beside its numbers."""

from __future__ import annotations

from benchkit.reading.reports import Remark

INTERRUPTED = Remark(
    "ab was interrupted {done}; its statistics until then are kept as a partial run",
    "run it to the end before comparing it",
    is_remark=False,
)
IDLE = Remark("no request was completed in this run", "check whether the server responds")
SILENT = Remark(
    "ab counts {complete} complete requests, but the server sent no data",
    "check whether the server closes connections without a response",
)
REFUSED = Remark(
    "all {complete} responses were outside 2xx: rates and times describe error pages",
    "check what the server responds at this path",
)
LENGTHS = Remark(
    "{count} requests count as failed only because their body length differs from the first "
    "response, which is normal for dynamic pages",
    "run ab with -l if lengths may differ",
    "note",
    is_remark=False,
)
WINDOWED = Remark(
    "ab averaged its {complete} requests into {window} values, so benchkit keeps only the means; "
    "the minimum, maximum and percentiles do not describe individual requests",
    "run ab with -n set to at least the number of requests in the run",
)
UNCLEAR = Remark(
    "`{text} seconds` of ab 2.0 may mean thousandths or millionths of a second, and no other "
    "line shows which; the run length is left out",
    "give the whole report, with its rate",
)
STRANGE = Remark(
    "this table is in {unit}, which ab does not print; its rows are ignored",
    "use the output of an unmodified ab",
    is_remark=False,
)
TORN = Remark(
    "these percentiles and the table above them belong to different runs: their longest requests "
    "took {percentile:g} s and {longest:g} s; the percentiles are left out",
    "use the output as ab printed it",
    is_remark=False,
)
