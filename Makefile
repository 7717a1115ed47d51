# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

.DEFAULT_GOAL := help
.PHONY: help setup build install tour examples clients test nearby editors lint errors docs pictures api conformance differential interop memory bench keychain tunnel authority soap web crash fuzz sanitize clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## Install what is missing (apt-get or brew); does nothing when all is there
	@scripts/setup

build: setup ## Build the countersign command, and those of the keychain, the authority, SOAP and the web application
	swift build --product countersign
	swift build --product countersign-keychain
	swift build --product countersign-ca
	swift build --product countersign-ca-serve
	swift build --product countersign-soap
	swift build --product countersign-web

install: setup ## Build for release, and install the programs, manual pages and completions (PREFIX=/usr/local)
	@scripts/install $(PREFIX)

tour: setup ## Build the command, reach every server of the embedded lab, and show one table
	swift build --product countersign
	.build/debug/countersign tour

examples: setup ## Build the package Examples as a user does, and print the packages that it is built from
	@scripts/examples --build

clients: build ## Run curl, wget, Python's requests and AsyncHTTPClient over the lab, and write docs/clients.md
	@scripts/setup clients
	@scripts/compare-clients

test: setup ## Build and run every test
	@scripts/test

nearby: ## Build and test the package Nearby: service discovery, reverse DNS, tunnels, nib archives
	@scripts/setup interop
	@PACKAGE=Nearby scripts/test
	@scripts/transcripts $(if $(SHARE_BUILD),.build,Nearby/.build)/debug Nearby/Transcripts/*.txt

editors: ## Test editors/ with Vim, Neovim and a tokenizer of TextMate grammars
	@scripts/setup editors
	@scripts/editors

lint: setup ## Check the format, what modules and folders may use, words, links, and that samples are compiled and examples run
	swift format lint --strict --parallel -r Sources Tests Snippets Examples/Sources Examples/Package.swift Benchmarks Fuzz Nearby/Sources Nearby/Tests Nearby/Benchmarks Nearby/Package.swift Package.swift
	@scripts/check
	@scripts/check-docs
	@scripts/check-folders

errors: build ## Make docs/errors.md and docs/errors-nearby.md from the errors in the code
	@scripts/errors > docs/errors.md
	swift build --package-path Nearby
	@scripts/errors "$$(swift build --package-path Nearby --show-bin-path)" > docs/errors-nearby.md

docs: setup ## Build the documentation as one static site in .build/docs/site; a link that leads nowhere is an error
	@scripts/docs

pictures: build ## Draw docs/tour.svg and docs/trust.svg with the command
	@scripts/pictures .build/debug/countersign

api: setup ## List what breaks users of the library since the last version (SINCE=COMMIT for another one); it takes two builds
	@scripts/api $(SINCE)

conformance: setup ## Run x509-limbo (LIMBO=PATH), NIST's PKITS (PKITS=PATH), curl's exchanges (CURL_EXCHANGES=FOLDER), XML signatures (XMLDSIG=FOLDER) and descriptions (WSDL=FOLDER)
	@scripts/conformance

differential: ## Compare verdicts on mutated chains with those of OpenSSL, GnuTLS, Go, pyca and certvalidator (SECONDS=60, SEED=1)
	@scripts/setup differential
	@scripts/differential --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

interop: ## Run against Apache, squid, nginx, pyspnego, xmlsec, signxml, zeep, spyne and MIT's KDC on loopback, and pages in Chromium and Firefox
	@scripts/setup interop
	@scripts/composer --check
	@scripts/composer-journey
	@scripts/interop

memory: ## Fetch 1 GiB from nginx on loopback and measure the memory
	@scripts/setup memory
	@scripts/memory

bench: ## Measure the session beside AsyncHTTPClient and curl, validations beside OpenSSL's, answers beside their hashes
	@scripts/setup bench
	@scripts/bench $(if $(ROUNDS),--rounds $(ROUNDS))
	@scripts/bench-session $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SCALE),--scale $(SCALE))

keychain: ## Measure the keychain by its size, and beside KeePassXC and pass (COUNT=1000 entries)
	@scripts/setup bench
	@"$$(scripts/release KeychainBench)" measure
	@scripts/bench-keychain "$$(scripts/release KeychainBench)" $(COUNT)

tunnel: ## Measure the Ethernet tunnel beside other tunnels, between network namespaces (ROUNDS=1); it takes root
	@scripts/setup bench
	@scripts/bench-tunnel $(if $(ROUNDS),--rounds $(ROUNDS))

authority: setup ## Measure the authority by itself, and beside OpenSSL and mkcert (COUNT=100 certificates)
	@scripts/setup bench
	@"$$(scripts/release AuthorityBench)"
	@scripts/release countersign-ca-serve > /dev/null
	@scripts/bench-authority "$$(dirname "$$(scripts/release countersign-ca)")" $(COUNT)

soap: setup ## Measure SOAP: descriptions beside wsdl2h, signatures beside xmlsec and signxml, calls beside bare requests
	@scripts/setup bench
	@scripts/bench-wsdl "$$(scripts/release WSDLGenerator)" $(ROUNDS)
	@"$$(scripts/release SOAPBench)"
	@"$$(scripts/release SOAPBench)" --attachment 1024
	@scripts/bench-signatures $(if $(ROUNDS),--rounds $(ROUNDS))

web: setup ## Measure the web application's start page beside a bare Hummingbird, and its memory
	@scripts/setup bench
	@scripts/release WebBench > /dev/null
	@scripts/bench-web "$$(dirname "$$(scripts/release countersign-web)")"

crash: setup ## Kill a writer of a keychain, and an authority's commands, at random instants, and check that nothing is lost; share a keychain
	swift build --product KeychainBench
	swift build --product countersign-keychain
	swift build --product countersign-ca
	@scripts/authority-crash .build/debug/countersign-ca $(or $(COUNT),1000)
	@scripts/keychain-crash .build/debug/KeychainBench $(or $(COUNT),1000)
	@scripts/keychain-share .build/debug/countersign-keychain $(or $(CALLS),5000)

fuzz: setup ## Fuzz every target for a minute (TARGET=ChainFuzz SECONDS=600 for one, for longer)
	@scripts/fuzz "$(TARGET)" $(SECONDS)

sanitize: setup ## Run ten minutes of mixed load under the thread and the address sanitizer (SECONDS=60 for a minute)
	@scripts/sanitize $(or $(SECONDS),600)

clean: ## Remove what was built; what the fuzzers found stays in .build-fuzz
	swift package clean
	rm -rf .build-thread .build-address Benchmarks/Peers/.build Nearby/.build
