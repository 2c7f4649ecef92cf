"""Frozen values: what a release is made of and what is said about it."""
