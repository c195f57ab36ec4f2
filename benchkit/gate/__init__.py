"""Policy for machines: verdicts to pass or fail, an exit code and what CI displays.

In: verdicts and limits. Out: one outcome and its sinks. Why: a build fails by a written rule, and
the gate never tests anything again.
"""
