"""The examples in docstrings give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import ambos

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(ambos.__path__, "ambos.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
