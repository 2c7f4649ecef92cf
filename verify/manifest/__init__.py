"""Declared files to the model, every mistake at once."""
