"""Checks a sealed release with git and the standard library alone; `verify/bundle/check.py` is the way in."""
