"""From the bytes of a source to clean lines, their headings, and the output of parsers."""
