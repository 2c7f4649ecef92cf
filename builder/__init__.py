"""The workshop: makes the release that `verify` judges."""
