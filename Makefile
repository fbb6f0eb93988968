# The commands of the project. Each works twice in a row; a clone, Python 3.11+ and Node.js 20+ are all they need.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
PORT   ?= 7071
PYTEST  = $(PY) -m pytest -n 4 --dist worksteal

.PHONY: run serve test test-emulators test-slow test-all truth index snapshots package clean

run: $(VENV)/.local ## the app with everything it needs; walks through the main job, then serves (ONCE=1: ends after it)
	@$(PY) -m local.run --port $(PORT) $(if $(ONCE),--once)

serve: $(VENV)/.local ## the same app over WORKSPACE=folder, without the walk (WATCH=1: starts anew on a change)
	@$(PY) -m local.run --port $(PORT) --workspace $(or $(WORKSPACE),$(error name a folder: make serve WORKSPACE=folder)) $(if $(WATCH),--watch)

test: $(VENV)/.dev ## lint, types and every test that a change of the app needs: under three minutes on two processors
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(PYTEST) -m "not slow" --ignore=tests/emulators $(ARGS)

test-emulators: $(VENV)/.dev ## the tests of the search service and the Functions host that stand in locally
	@$(PYTEST) -m "not slow" tests/emulators $(ARGS)

test-slow: $(VENV)/.dev ## what the two leave out: browsers, kills, recorded waits, property tests at length
	@TEST_PROFILE=long $(PY) -m pytest -n 2 --dist loadfile -m "slow or hypothesis" $(ARGS)

test-all: test test-emulators test-slow ## everything

truth: $(VENV)/.dev ## the table of docs/truth.md, counted anew
	@$(PY) -m tests.truths

index: $(VENV)/.local ## loads DATA=file.jsonl by INDEX=definition.json into the search service at URL
	@$(PY) -m emulators.azure_search.load --data $(DATA) --index $(INDEX) $(if $(URL),--url $(URL))

snapshots: $(VENV)/.local ## what each parameter file would deploy, written anew; needs the bicep compiler
	@$(PY) -m scripts.snapshots write

package: $(VENV)/.local ## the zip that is deployed
	@$(PY) -m scripts.package --out dist/app.zip

clean:
	rm -rf $(VENV) node_modules dist .local

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or newer is needed: install it, or name it with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.local: $(VENV)/.python requirements.txt requirements-local.txt
	@echo "installing the packages of requirements-local.txt"
	@$(PY) -m pip install --disable-pip-version-check -r requirements-local.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.local requirements-dev.txt
	@echo "installing the packages of requirements-dev.txt"
	@$(PY) -m pip install --disable-pip-version-check -r requirements-dev.txt
	@touch $@
