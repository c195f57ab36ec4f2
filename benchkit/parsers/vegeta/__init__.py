"""vegeta 1 to 12: reports (`report`) and raw results (`raw`).

In: what vegeta prints and encodes. Out: readings and samples. Why: a report may stand among other
text, raw results own their file; they are two formats of one tool.
"""
