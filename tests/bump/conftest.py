"""The project of the edit tests, for bumps."""

from tests.edit.conftest import shop, template

__all__ = ["shop", "template"]
