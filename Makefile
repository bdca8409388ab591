# armlab: `make run` starts it, `make test` proves it. Both set up all they need, in .venv, and do nothing twice.
PYTHON ?= python3
SETUP := $(PYTHON) tools/setup_env.py
BIN := .venv/bin

.PHONY: run test install check bench clean

run: .venv/run.stamp
	@$(BIN)/armlab serve

install: .venv/test.stamp

.venv/run.stamp: pyproject.toml constraints.txt hatch_build.py $(shell find web/src web/public -type f) web/index.html web/package-lock.json
	@$(SETUP) .venv
	@$(BIN)/armlab warmup
	@touch $@

.venv/test.stamp: .venv/run.stamp
	@$(SETUP) .venv --group test
	@$(BIN)/python hatch_build.py --tools
	@touch $@

# fast: format, lint, types, import contracts, the page's types in step with Python
check: .venv/test.stamp
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/protocol.py --check
	@$(BIN)/python hatch_build.py --npm run lint

test: check
	@$(BIN)/python hatch_build.py --npm test
	@$(BIN)/python tools/browser.py
	@$(BIN)/pytest -n 2 --ignore tests/e2e
	@$(BIN)/pytest tests/e2e

bench:
	@$(SETUP) .venv-bench --group bench
	@.venv-bench/bin/python -m bench

clean:
	rm -rf .venv .venv-bench web/node_modules web/dist src/armlab/server/static dist .mypy_cache .ruff_cache .pytest_cache
