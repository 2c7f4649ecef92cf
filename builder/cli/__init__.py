"""The command line: one file a command, each reads arguments, calls one function and renders what comes back."""
