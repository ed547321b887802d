# Each works on a fresh clone: `make install` only installs, `make run` serves, `make test` checks.

PY := .venv/bin/python

.PHONY: install run page test campaign bench clean figures docs

install: .venv/.ready
	@echo "Installed. Now: source .venv/bin/activate, and then: fairground"

# The arena on this machine; ARGS="--port 8080" and the like are handed on to it.
run: page docs
	@.venv/bin/fairground serve $(ARGS)

# What browsers get, if web/ has changed since it was built.
page: .venv/.ready
	@$(PY) tools/page.py

# The site of the documents, if it has changed since it was built.
docs: .venv/.ready
	@$(PY) tools/docs.py

test: .venv/.ready-dev page docs
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PY) -m pytest -n auto --cov --cov-report=term-missing:skip-covered --cov-fail-under=100

# What takes too long for every change: the suite with all its cases (each extra installed alone,
# every byte of every record flipped, long fuzzing, intervals counted a thousand times, 11,000
# records before verify.html in a browser); and 20,000 honest and forged records before both checkers
# (SEED=... for others); and an arena that is killed, flooded and sent odd bytes for TIME=... seconds.
campaign: .venv/.ready-dev page
	CAMPAIGN=1 $(PY) -m pytest -n auto
	$(PY) tools/checker_campaign.py --seed $(or $(SEED),1) --mutants 18000 --made 2000 --played 20
	$(PY) tools/arena_campaign.py --seed $(or $(SEED),1) --seconds $(or $(TIME),120) --result bench/results/arena_campaign.json

# The figures of the documents.
figures: .venv/.ready
	.venv/bin/fairground plot all --out docs/figures

bench: .venv/.ready-bench
	@for file in bench/[a-z]*.py; do echo "== $$file" && $(PY) $$file || exit 1; done

# Each stamp says that the environment holds what this pyproject.toml asks for.
.venv/.ready .venv/.ready-dev .venv/.ready-bench: pyproject.toml debian-packages.txt tools/setup
	@tools/setup $(@F)

clean:
	rm -rf .venv tools/node/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
