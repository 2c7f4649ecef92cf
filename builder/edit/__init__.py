"""Changing the stack through a branch: out with `checkout`, back with `sync`, and made binding with `pin`."""
