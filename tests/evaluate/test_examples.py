"""The examples in the docstrings of this room give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import ambos.evaluate

MODULES = sorted(module.name for module in pkgutil.iter_modules(ambos.evaluate.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    failed, tried = doctest.testmod(importlib.import_module(f"ambos.evaluate.{name}"))
    assert failed == 0
    assert tried or name == "evaluation"
