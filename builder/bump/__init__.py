"""The stack on a newer upstream: carried, compared, resolved, remembered, accepted."""
