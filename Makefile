# SPDX-License-Identifier: GPL-2.0
#
# Entry points. Each one is a script in scripts/; "make help" lists them.

# The programs of Debian's packages, which scripts/deps.sh installs, are used before others of the
# same name. The python3 of pyenv, for example, has no numpy, and a shell script takes half a second
# to find it, each of a thousand times in a run of "make check".
export PATH := /usr/bin:$(PATH)

# Names that an environment may have for something else.
override A := $(if $(filter command line,$(origin A)),$(A))
override B := $(if $(filter command line,$(origin B)),$(B))
override RUNS := $(if $(filter command line,$(origin RUNS)),$(RUNS))
override STEPS := $(if $(filter command line,$(origin STEPS)),$(STEPS))
override LIST := $(if $(filter command line,$(origin LIST)),$(LIST))
override VARY := $(if $(filter command line,$(origin VARY)),$(VARY))
override DRY := $(if $(filter command line,$(origin DRY)),$(DRY))
# A that says how to measure is no directory.
IN_TURN := $(findstring =,$(A)$(VARY))
MACHINE ?= $(if $(IN_TURN),qemu,bochs)
CPU_MODEL ?= $(if $(filter qemu,$(MACHINE)),i7_3770k,corei7_ivy_bridge_3770k)
METHODS ?= hrt tdt$(if $(filter host,$(MACHINE)), nic)
SAMPLES ?= 5000
LDIST ?=
SWEEP ?=
SIM ?=
TRUTH ?=
CPUS ?=
TABLE ?=
QUANTILE ?=
MEASURE ?=
HOLD ?=
WAKER ?=
CARD ?=
SET ?=
ENERGY ?=
FORCE ?=
HZ ?= 250
KERNEL ?=
RUNS_EACH ?=
OUT ?= $(if $(VARY),out/exercise,$(if $(IN_TURN),out/compare,out/run))
KDIR ?=
LONG ?=
JOBS ?= $(shell nproc)
IDLE_LATENCY_CACHE ?= $(HOME)/.cache/idle_latency
export MACHINE CPU_MODEL METHODS SAMPLES LDIST SWEEP SIM TRUTH CPUS TABLE QUANTILE FORCE HZ
export MEASURE HOLD WAKER CARD SET ENERGY OUT KERNEL KDIR LONG STEPS LIST JOBS IDLE_LATENCY_CACHE A B RUNS RUNS_EACH
export VARY DRY

.PHONY: help variables deps run scan bundle compare exercise report table check kunit coverage \
	mutants kselftest series tree modules dkms clean

help:
	@cat scripts/help.txt

variables:
	@scripts/check-variables.sh

deps: variables
	@scripts/deps.sh all

run scan bundle compare exercise report table kunit coverage mutants kselftest tree modules dkms check \
series: variables
	@scripts/deps.sh $@
	@scripts/$@.sh

clean: variables
	@scripts/clean.sh
