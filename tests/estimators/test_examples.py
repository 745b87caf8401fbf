"""The examples in the docstrings of this room give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import ambos.estimators

MODULES = sorted(module.name for module in pkgutil.iter_modules(ambos.estimators.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(f"ambos.estimators.{name}")).failed == 0
