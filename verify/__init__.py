"""The law and the judge: says what must hold of a release and judges whether it does."""
