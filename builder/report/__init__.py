"""A release as one page for people: what holds and what does not, with everything that this rests on."""
