"""Does the rule keep its promises? Simulated sessions, judged as every comparison is.

Error rates that are promised are measured, also where they break, through the very functions that
`compare` uses. (`benchkit noise` is another thing: it tries the rule on a user's own runs.)
"""
