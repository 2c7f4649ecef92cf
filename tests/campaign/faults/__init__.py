"""Faults planted in the real engine: made in its source, its build or its environment, run the whole way."""
