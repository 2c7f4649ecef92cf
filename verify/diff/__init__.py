"""Patches as text: git's name quoting, the canonical form, its parser and printer, binary payloads, safe paths."""
