# Everything that people and machines do here. `make` alone lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

LISTEN ?= 127.0.0.1:8080
SWIFT_SOURCES := Package.swift Sources Tests bench/Package.swift bench/Sources examples

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: run
run: setup-build ## build in release and serve on 127.0.0.1:8080
	swift build -c release --product store-server
	exec "$$(swift build -c release --show-bin-path)/store-server" --listen $(LISTEN)

.PHONY: check
check: setup-build setup-test ## what shows most mistakes within two minutes, while you work
	scripts/check

.PHONY: test
test: setup-build setup-test ## the gate, for before a push
	scripts/test

.PHONY: ci
ci: setup-build setup-test setup-image ## everything that continuous integration runs
	scripts/ci

.PHONY: test-durability
test-durability: setup-build setup-test ## break the journal from outside, hundreds of times
	scripts/test-durability

.PHONY: test-sanitized
test-sanitized: setup-build setup-test ## the tests from outside, of a build with SANITIZER=address or thread
	scripts/test-sanitized $(SANITIZER)

# How long each fuzzer runs, in seconds, and which of them; none for all.
SECONDS ?= 60
TARGET ?=

.PHONY: fuzz
fuzz: setup-build ## fuzz what reads bytes of any origin; SECONDS=… for each, TARGET=Requests alone
	Tests/Fuzz/run $(SECONDS) $(TARGET)

.PHONY: simulate
simulate: setup-build ## run random programs until one fails; SEED=… STEPS=… runs one again
	scripts/simulate

.PHONY: soak
soak: setup-build setup-test ## mixed load for MINUTES=10, and what of it stays; SANITIZER=address or thread
	scripts/soak $(or $(MINUTES),10) $(SANITIZER)

.PHONY: bench
bench: setup-build setup-bench ## measure, beside references, in one run
	scripts/bench

.PHONY: bench-durable
bench-durable: setup-build setup-bench ## measure durable writes, beside databases, and starts
	swift build -c release --product store-server
	bench/durable/run
	bench/replay/run

.PHONY: format
format: ## bring the Swift code into form
	swift format --in-place --recursive $(SWIFT_SOURCES)

.PHONY: lint
lint: ## check the form of the Swift code, and that the process is the command line's alone
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	scripts/check-process

.PHONY: lint-docs
lint-docs: setup-test ## check words, links, the glossary, and which target imports which
	.venv/bin/python -m pytest -q Tests/Form

.PHONY: docs
docs: setup-build ## build the documentation of the libraries, with the toolchain's docc
	swift build
	scripts/docs

# The folder and the program of another package whose image is built, and the tag of the image.
PACKAGE ?=
PRODUCT ?=
TAG ?=

.PHONY: image
image: ## build the container image; PACKAGE=… PRODUCT=… TAG=… for a store of your own
	scripts/image $(if $(PACKAGE),--package $(PACKAGE)) $(if $(PRODUCT),--product $(PRODUCT)) $(TAG)

.PHONY: image-test
image-test: setup-image ## prove the image without a registry, on stand-in base images (root, Debian)
	scripts/image-test

.PHONY: clean
clean: ## remove what was built
	swift package clean
	rm -rf .build .venv

.PHONY: setup-build setup-test setup-bench setup-image
setup-build setup-test setup-bench setup-image: setup-%:
	@scripts/setup $*
