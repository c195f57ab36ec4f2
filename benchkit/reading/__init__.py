"""From the bytes of a source to clean lines, their headings, and what a parser yields of them."""
