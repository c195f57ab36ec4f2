"""From the bytes of a source to clean lines, and to what a parser yields of them."""
