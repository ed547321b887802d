# Each works on a fresh clone: `make install` only installs, `make run` serves, `make test` checks.

PY := .venv/bin/python

# Many tests wait for programs that they have started, so one more runs than there are cores.
WORKERS := $(shell expr $$(nproc) + 1)

.PHONY: install run page shots screens test text types kernels covered suite campaign bench clean figures docs tables

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

# The pictures with which tests/page/test_screens.py compares every screen. Look at them before you commit them.
shots: .venv/.ready-dev page
	SHOTS=1 $(PY) -m pytest -q -n $(WORKERS) tests/page/test_screens.py

# What every session of tests/terminal/sessions prints. Look at what changed before you commit it.
screens: .venv/.ready-dev
	SHOTS=1 $(PY) -m pytest -q tests/terminal/test_sessions.py

# Two things at a time, as long as each keeps one core busy; then the suite, which keeps all of them.
test: .venv/.ready-dev
	@$(MAKE) --no-print-directory -j 2 kernels page docs text covered types
	@$(MAKE) --no-print-directory suite

text:
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports

types:
	.venv/bin/mypy

# These tests compile nearly all kernels. They go first, and one by one: everybody else then finds
# what they compiled, and no two programs compile the same.
COMPILING := tests/lab/test_simulation.py tests/lab/test_environments.py tests/solve/test_codebreaking.py \
	tests/solve/test_fatestones.py tests/solve/test_poker.py tests/players/test_breakers.py

kernels:
	$(PY) -m pytest -q $(COMPILING)

# The kernel's own tests, which alone reach every line of it. Tracing costs as much as a test itself,
# so the others run without.
COVERED := tests/fair tests/games $(patsubst %,tests/test_%.py,core table transcript registry playing replay \
	verify claims vectors extras forgeries cheating_house door newgame)

covered:
	$(PY) -m pytest -q $(COVERED) --cov --cov-report=term-missing:skip-covered --cov-fail-under=100

suite:
	$(PY) -m pytest -n $(WORKERS) --dist worksteal --durations 15 --durations-min 5 $(patsubst %,--ignore %,$(COMPILING) $(COVERED))

# What takes too long for every change: the suite with all its cases (each extra installed alone,
# every byte of every record flipped, long fuzzing, intervals counted a thousand times, 11,000
# records before verify.html in a browser); and 20,000 honest and forged records before both checkers
# (SEED=... for others); and an arena that is killed, flooded and sent odd bytes, readers, mutants and
# more, for TIME=... seconds (ONLY=kills,readers for some of it: tools/arena_campaign.py), which
# writes its figures into docs/reliability.md.
campaign: .venv/.ready-dev page
	CAMPAIGN=1 $(PY) -m pytest -n $(WORKERS) --dist worksteal --timeout 3600
	$(PY) tools/checker_campaign.py --seed $(or $(SEED),1) --mutants 18000 --made 2000 --played 20
	$(PY) tools/arena_campaign.py --seed $(or $(SEED),1) --seconds $(or $(TIME),120) $(if $(ONLY),--only $(ONLY)) --result bench/results/arena_campaign.json --page

# The figures of the documents.
figures: .venv/.ready
	.venv/bin/fairground plot all --out docs/figures
	$(PY) bench/fatestones_mcts.py --plot

# Zombie Dice of two, three and four with the usual dice, solved again and stored with the package.
tables: .venv/.ready
	$(PY) tools/zombie_tables.py

# All benches, or with GROUP=verify, GROUP=arena ... only those whose name begins so; then the page of all figures.
bench: .venv/.ready-bench
	@for file in $(filter-out bench/page.py,$(wildcard bench/$(or $(GROUP),[a-z])*.py)); do \
		echo "== $$file" && $(PY) $$file || exit 1; done
	@$(PY) bench/page.py

# Each stamp says that the environment holds what this pyproject.toml asks for.
.venv/.ready .venv/.ready-dev .venv/.ready-bench: pyproject.toml debian-packages.txt tools/setup
	@tools/setup $(@F)

clean:
	rm -rf .venv tools/node/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
