# A fresh machine needs Python 3.11 or later with pip, make and git. Everything else comes from the two lock files, by hash.
# `make demo` installs what running needs; the other targets add what developing needs. Both live in one environment, $(VENV).

VENV ?= .venv
PYTHON ?= python3
UV ?= uv

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadscope
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" pyproject.toml --extra build

.DEFAULT_GOAL := help
.PHONY: help setup demo up test-fast test check lint types floors mirrors sync bench lock clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(DEV)  ## Make the environment with everything development needs

demo: $(RUNTIME)  ## Run the main job on the embedded default, end to end
	$(BIN)/evalplane demo

up: $(RUNTIME)  ## Serve the web pages and the asset graph on loopback
	$(BIN)/evalplane up

test-fast: $(DEV)  ## Run the tests that take seconds
	$(PYTEST) -m "not slow"

test: $(DEV)  ## Run every test
	$(PYTEST)

check: lint types floors mirrors  ## Run every check that is not a test

lint: $(DEV)  ## Check style with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)  ## Check types with mypy
	$(BIN)/mypy

floors: $(DEV)  ## Check that imports only point down
	$(BIN)/lint-imports

mirrors: $(DEV)  ## Check that generated files equal what they are generated from
	$(BIN)/python -m evaluation_assets.surfaces.mirrors --check

sync: $(DEV)  ## Write the generated files anew
	$(BIN)/python -m evaluation_assets.surfaces.mirrors

bench: $(DEV)  ## Print the benchmarks, as ratios within one run
	$(BIN)/python -m pytest tests/benchmarks -o python_files='bench_*.py' -o python_functions='bench_*' --capture=no --quiet

lock:  ## Resolve both lock files anew with uv; UPGRADE=--upgrade takes newer releases
	$(COMPILE) $(UPGRADE) --output-file requirements.lock
	$(COMPILE) $(UPGRADE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock

clean:  ## Remove the environment and every cache; evidence roots stay
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("evalplane needs Python 3.11 or later; name one with PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

# The build backend comes from the lock as well, so no install step resolves anything by itself.
$(RUNTIME): requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@
