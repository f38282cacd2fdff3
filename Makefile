# The commands of the project. Each is a script in scripts/, and says what it does.

.DEFAULT_GOAL := help
.PHONY: help run dev install uninstall dist test check bench audit fmt openapi clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build everything and start the server; ARGS="--listen 127.0.0.1:8000" goes to it
	@scripts/run.sh $(ARGS)

dev: ## the quick loop: build without optimisation and start the server; ARGS as above
	@scripts/dev.sh $(ARGS)

install: ## install the program for you; PREFIX=/opt/ibid instead of ~/.local
	@PREFIX="$(PREFIX)" scripts/install.sh

uninstall: ## remove what make install put there
	@PREFIX="$(PREFIX)" scripts/install.sh remove

dist: ## write packages into dist/: tarball, .deb, wheel, npm, OCI image
	@scripts/dist.sh

test: ## every test, on both databases and in a browser; STAGE=rust runs one stage
	@scripts/test.sh $(STAGE)

check: ## the minute-long inner loop: format, lints, Rust tests, web types
	@scripts/check.sh

bench: ## measure, and print the numbers
	@scripts/bench.sh $(ARGS)

audit: ## ask the public databases for known faults of the dependencies; takes a network
	@scripts/audit.sh

fmt: ## format the Rust code and the web app's
	@cargo fmt --all
	@scripts/web.sh install
	@npm --prefix web run --silent format

openapi: ## write docs/openapi.json from the code, and the web app's types from that
	@scripts/openapi.sh

clean: ## remove what was built in this folder; the cache that clones share stays
	@rm -rf target dist web/dist web/node_modules web/test-results web/playwright-report docs/site/dist docs/site/node_modules
