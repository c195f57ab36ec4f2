"""From verdicts to pass or fail.

In: verdicts and what the team allows. Out: an outcome with its exit code.
Why: a gate never tests again and never measures; it applies a policy to what was shown.
"""
