# armlab: `make run` starts it, `make test` proves it. Both set up all they need, in .venv, and do nothing twice.
PYTHON ?= python3
SETUP := $(PYTHON) tools/setup_env.py
BIN := .venv/bin

SOURCES := pyproject.toml constraints.txt hatch_build.py web/index.html web/package-lock.json \
  $(shell find web/src web/public -type f)

.PHONY: run test install kernels check page-test bench clean

run: .venv/run.stamp
	@$(BIN)/armlab serve

install: kernels

.venv/run.stamp: $(SOURCES)
	@$(SETUP) .venv
	@$(BIN)/armlab warmup
	@touch $@

.venv/test.stamp: $(SOURCES)
	@$(SETUP) .venv --group test
	@$(BIN)/python hatch_build.py --tools
	@touch $@

kernels: .venv/test.stamp
	@$(BIN)/armlab warmup
	@touch .venv/run.stamp

# fast: format, lint, types, import contracts, the page's types in step with Python
check: .venv/test.stamp
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/protocol.py --check
	@$(BIN)/python hatch_build.py --npm run lint

page-test: .venv/test.stamp
	@$(BIN)/python hatch_build.py --npm test

# one core compiles the kernels while the other checks; a page in a browser needs the whole machine, so it comes last
test: .venv/test.stamp
	@$(MAKE) --no-print-directory -j 2 kernels check page-test
	@$(BIN)/python tools/browser.py
	@$(BIN)/pytest -n 2 --dist worksteal --ignore tests/e2e
	@$(BIN)/pytest tests/e2e

bench:
	@$(SETUP) .venv-bench --group bench
	@.venv-bench/bin/python -m bench

clean:
	rm -rf .venv .venv-bench web/node_modules web/dist src/armlab/server/static dist .mypy_cache .ruff_cache .pytest_cache
