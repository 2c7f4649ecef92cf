"""Packing what holds, and saying so: shared by `release` and `seal`."""
