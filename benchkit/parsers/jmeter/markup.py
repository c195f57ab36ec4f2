"""The samples of a JTL in XML, as rows like those of its CSV."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers.expat import ExpatError, ParserCreate

#: The message that JMeter writes for a transaction controller.
TRANSACTION = "Number of samples in transaction"
#: Names in CSV for the attributes of a sample in XML.
_ATTRIBUTES = {"t": "elapsed", "lt": "Latency", "ct": "Connect", "ts": "timeStamp", "s": "success",
               "lb": "label", "rc": "responseCode", "rm": "responseMessage", "by": "bytes",
               "sby": "sentBytes", "na": "allThreads"}  # fmt: skip


class Rows:
    """The samples of an XML document while it is read, as rows of a table."""

    def __init__(self) -> None:
        self.parser = ParserCreate("UTF-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self._refuse
        self.rows: list[tuple[int, dict[str, str]]] = []
        self.open: list[bool] = []  # whether elements inside an open one count
        self._held: list[str] = []
        #: Held characters, bytes read, and those of a tag without its end so far.
        self._size = self._read = self._waiting = 0

    def feed(self, text: str) -> ExpatError | None:
        """Parse a part; return the error so far, if any.

        A tag or comment is parsed again from its beginning whenever more of it arrives. Therefore
        parts are held until they are as long as the text to parse again.
        """
        self._held.append(text)
        self._size += len(text)
        return self.read() if self._size >= self._waiting else None

    def read(self, *, is_end: bool = False) -> ExpatError | None:
        """Parse the held text; return the error, if any."""
        data = "".join(self._held).encode()
        self._held, self._size = [], 0
        try:
            self.parser.Parse(data, is_end)
        except ExpatError as error:
            return error
        self._read += len(data)
        self._waiting = self._read - self.parser.CurrentByteIndex
        return None

    def hand_to(self, take: Callable[[int, dict[str, str]], bool]) -> bool:
        """Pass each row so far to ``take``, once; return whether one of them fills its block."""
        full = [take(line, row) for line, row in self.rows]
        self.rows = []
        return any(full)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        counts = not self.open or self.open[-1]
        if name in {"httpSample", "sample"} and counts:
            row = {_ATTRIBUTES[key]: text for key, text in attributes.items() if key in _ATTRIBUTES}
            row = {"timeStamp": "", "success": "", **row}
            self.rows.append((self.parser.CurrentLineNumber, row))
            counts = row.get("responseMessage", "").startswith(TRANSACTION)
        self.open.append(counts)

    def _end(self, _: str) -> None:
        self.open.pop()

    def _refuse(self, *_: object) -> None:
        error = ExpatError("entities are not read")
        error.code, error.lineno = 0, self.parser.CurrentLineNumber
        raise error
