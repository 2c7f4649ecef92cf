"""Programs of strangers, kept in bounds: built engines, compilers, tests. Nothing of them survives or gets out."""
