# Two commands for a fresh machine: `make release` (the main job) and `make test`. Both make or reuse .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: release test lint campaign clean

release: .venv/.run
	$(BIN)/stackproof release

test: .venv/.dev
	$(BIN)/python -m pytest -n 2

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

campaign: .venv/.dev
	$(BIN)/python -m pytest -m campaign

# The two stamps: what was installed last, so that a second run starts at once.
.venv/.python:
	@$(PYTHON) -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'error[python-too-old]: Python 3.11 or newer with the venv module is needed' >&2; \
	  echo '  = help: on Debian or Ubuntu: apt-get install python3-venv; or name another: make PYTHON=python3.12' >&2; exit 2; }
	$(PYTHON) -m venv --clear .venv
	@touch $@

.venv/.run: .venv/.python requirements/run.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: .venv/.run requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	rm -rf .venv dist
