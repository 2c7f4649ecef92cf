"""Reviews on real trees: what was reviewed, what stands now, and how one goes over into the other."""
