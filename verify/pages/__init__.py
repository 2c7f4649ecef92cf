"""The project's own pages: the worklog, and tables that are rendered from the release."""
