# armlab: `make run` starts it, `make test` proves it. Both set up all they need, in .venv, and do nothing twice.
PYTHON ?= python3
SETUP := $(PYTHON) tools/setup_env.py
BIN := .venv/bin

PACKAGING := pyproject.toml constraints.txt hatch_build.py $(wildcard src/armlab/locale/*/LC_MESSAGES/*.po)
PAGE_SOURCES := hatch_build.py web/index.html web/package-lock.json $(shell find web/src web/public -type f)
PAGE := web/node_modules/.page
NODE := $(shell $(PYTHON) hatch_build.py --node)

.PHONY: run test install kernels check page-test browser wheel wheel-test docs fuzz peers bench clean

# the server compiles what the page needs before it answers, and the other kernels beside it
run: .venv/run.stamp
	@$(BIN)/armlab serve

install: kernels

.venv/run.stamp: $(PACKAGING) $(PAGE_SOURCES)
	@$(SETUP) .venv
	@touch $@

.venv/packages.stamp: $(PACKAGING)
	@ARMLAB_SKIP_PAGE=1 $(SETUP) .venv --group test
	@touch $@

# the system's Node builds the page while Python's packages are installed; without one, a Node is among those
$(PAGE): $(PAGE_SOURCES) $(if $(NODE),,.venv/packages.stamp)
	@$(if $(NODE),$(PYTHON),$(BIN)/python) hatch_build.py --tools
	@touch $@

.venv/test.stamp: .venv/packages.stamp $(PAGE)
	@touch $@

kernels: .venv/test.stamp
	@$(BIN)/armlab warmup
	@touch .venv/run.stamp

# fast: format, lint, types, import contracts, the page's types and every translation in step with Python
check: .venv/test.stamp
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/protocol.py --check
	@$(BIN)/python tools/catalogs.py --check
	@$(BIN)/python hatch_build.py --npm run lint

page-test: .venv/test.stamp
	@$(BIN)/python hatch_build.py --npm test

# the wheel in an environment of its own, with nothing but what it requires to run
wheel: $(PAGE)
	@$(PYTHON) tools/wheel.py --install

wheel-test: wheel kernels
	@$(PYTHON) tools/wheel.py

browser: .venv/test.stamp
	@$(BIN)/python tools/browser.py

# what needs one core goes two at a time; a browser test waits half of its time, so three of them share two cores
# (one that failed in that company is run once more alone: a failure then is one)
test:
	@$(MAKE) --no-print-directory -j 2 .venv/test.stamp wheel
	@$(MAKE) --no-print-directory -j 2 kernels check wheel-test page-test browser
	@$(BIN)/pytest -n 2 --dist worksteal --ignore tests/e2e
	@$(BIN)/pytest -n 3 --dist worksteal tests/e2e || $(BIN)/pytest --last-failed --last-failed-no-failures none tests/e2e

# 10^5 damaged files of each kind and 10^6 programs of each language, hours; then the other seeded tests, 200 times as long
fuzz: kernels
	@$(BIN)/python tools/fuzz_campaign.py
	@ARMLAB_FUZZ=200 $(BIN)/pytest -n 2 --dist worksteal tests/fuzz tests/cell/test_brake.py

# our firmware on an emulated Uno (Debian: gcc-avr avr-libc arduino-core-avr simavr libsimavr-dev) and the link in 10^4 trials of each kind
peers: kernels
	@ARMLAB_LINK_TRIALS=10000 ARMLAB_LINK_BYTES=10000000 $(BIN)/pytest -ra tests/peers tests/link

# the site, in docs/_build; a warning is an error
docs: .venv-docs/docs.stamp
	@.venv-docs/bin/python -m sphinx --quiet --fail-on-warning --keep-going -j auto docs docs/_build
	@echo docs/_build/index.html

.venv-docs/docs.stamp: $(PACKAGING)
	@ARMLAB_SKIP_PAGE=1 $(SETUP) .venv-docs --group docs
	@touch $@

bench:
	@$(SETUP) .venv-bench --group bench
	@.venv-bench/bin/python -m bench

clean:
	rm -rf .venv .venv-bench .venv-docs .venv-wheel docs/_build web/node_modules web/dist src/armlab/server/static dist .mypy_cache .ruff_cache .pytest_cache
