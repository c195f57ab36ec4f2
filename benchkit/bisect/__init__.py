"""The commit of a git history that changed a metric: measured, not guessed from one run each."""
