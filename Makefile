# Short names for the most common tasks. Everything here is one line of cargo or one visible script.

# In CI the lock file must be the committed one; at a desk a new dependency may extend it.
LOCKED := $(if $(CI),--locked)
# Where rustup puts cargo; a shell that was already open when rustup was installed does not look there.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)
XTASK := cargo run --quiet $(LOCKED) --package xtask --

.DEFAULT_GOAL := help
.PHONY: help play test test-cluster release build python dist try-dist check bench page clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

play: ## installs what is missing, builds, and opens the board in the browser
	@scripts/install-dependencies play
	@scripts/build-page
	cargo run --release $(LOCKED) -- play --open

test: ## installs what is missing, then every check and every test this machine can run
	@scripts/install-dependencies test
	@$(XTASK) check

test-cluster: ## lints and tests of the feature cluster: a scheduler and two executors on this machine
	@scripts/install-dependencies test
	@$(XTASK) cluster

release: test ## the same, and the further checks of a release: a minute of fuzzing for each parser, benchmarks build
	@$(XTASK) release

dist: ## archive of the program and wheel for every Linux with glibc 2.28 or later, target/dist
	@scripts/install-dependencies dist
	@scripts/dist

try-dist: ## tests them in empty root file systems of Debian 11 and Ubuntu 22.04, as root
	@scripts/try-dist

check: ## the quick checks: format, figures, lints, dependencies, documentation
	@$(XTASK) check fmt sources results typos deny page clippy fuzz docs

page: ## only the page, which becomes part of the program at its next build
	@scripts/build-page

build: ## the release program, target/release/tabiya
	@scripts/install-dependencies play
	@scripts/build-page
	cargo build --release $(LOCKED)

python: ## the wheel of the Python package, target/wheels, tested in a fresh environment
	@scripts/install-dependencies test
	@scripts/python-package

bench: ## measures speed against a reference in the same run
	cargo bench $(LOCKED) --workspace

clean: ## removes what was built, not what was trained
	cargo clean
