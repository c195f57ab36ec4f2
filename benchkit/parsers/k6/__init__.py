"""k6: what a run prints, its JSON summaries, and its raw points.

In: standard output, ``--summary-export``, handleSummary's data, the machine-readable summary,
``--out json`` and ``--out csv``. Out: one reading per run and form. Why: users keep any of them;
`text` finds blocks among other text, `summary` and `raw` own their files, and all three name
the same things alike (`words`).
"""
