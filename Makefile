# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

.DEFAULT_GOAL := help
# The compilers for fast debug builds, unless .build was built with other compilers; see scripts/make/toolchain.
TOOLCHAIN := $(shell scripts/make/toolchain)
ifneq ($(TOOLCHAIN),)
export SWIFT_EXEC := $(TOOLCHAIN)/bin/swiftc
export CC := $(TOOLCHAIN)/bin/clang
endif

.PHONY: help setup build install tour examples clients test nearby editors lint errors docs pictures api conformance differential interop situations memory bench bench-keychain bench-tunnel bench-authority bench-soap bench-web bench-weight crash fuzz sanitize clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## Install missing packages (apt-get or brew)
	@scripts/make/setup

build: setup ## Build the countersign command, and the commands of the keychain, the authority, SOAP and the web application
	swift build --product countersign
	swift build --product countersign-keychain
	swift build --product countersign-ca
	swift build --product countersign-ca-serve
	swift build --product countersign-soap
	swift build --product countersign-web

install: setup ## Build for release, and install the programs, manual pages and completions (PREFIX=/usr/local)
	@scripts/make/setup install || echo "install: goes on without these packages" >&2
	@scripts/make/install $(PREFIX)

tour: setup ## Build the command, connect to every server of the embedded lab, and show one table
	swift build --product countersign
	.build/debug/countersign tour

examples: setup ## Build the package Examples as a user does, print its packages, and run Examples/OtherPackages
	@scripts/check/examples --build
	@scripts/check/other-packages

clients: build ## Run curl, wget, Python's requests and AsyncHTTPClient with the lab, and write docs/reports/clients.md
	@scripts/make/setup clients
	@scripts/interop/compare-clients

test: setup ## Build and run all tests (SKIP=InteropTests omits a target)
	@scripts/check/test $(if $(SKIP),--skip $(SKIP))

nearby: ## Build and test the package Nearby: service discovery, reverse DNS, tunnels, nib archives
	@scripts/make/setup interop
	@PACKAGE=Nearby scripts/check/test
	@scripts/check/transcripts $(if $(SHARE_BUILD),.build,Nearby/.build)/debug Nearby/Transcripts/*.txt

editors: ## Test editors/ with Vim, Neovim and a tokenizer for TextMate grammars
	@scripts/make/setup editors
	@scripts/check/editors

lint: setup ## Check the format, the imports and dependencies of modules and folders, the wording, links, samples and examples
	swift format lint --strict --parallel -r Sources Tests Conformance Snippets Examples/Sources Examples/Package.swift Examples/OtherPackages/Sources Examples/OtherPackages/Package.swift Benchmarks Fuzz Nearby/Sources Nearby/Tests Nearby/Benchmarks Nearby/Package.swift Package.swift
	@scripts/check/sources
	@scripts/check/docs
	@scripts/check/folders
	@scripts/check/names

errors: build ## Generate docs/reference/errors.md and docs/reference/errors-nearby.md from the errors in the code
	@scripts/make/errors > docs/reference/errors.md
	swift build --package-path Nearby
	@scripts/make/errors "$$(swift build --package-path Nearby --show-bin-path)" > docs/reference/errors-nearby.md

docs: setup ## Build the documentation as one static site in .build/docs/site; a broken link is an error
	@scripts/make/docs

pictures: build ## Draw docs/guide/tour.svg and docs/guide/trust.svg with the command
	@scripts/make/pictures .build/debug/countersign

api: setup ## List the API changes since the last version that break users (SINCE=COMMIT for another base); requires two builds
	@scripts/check/api $(SINCE)

conformance: setup ## Run x509-limbo, NIST's PKITS, other libraries' chains, curl's exchanges, XML signatures and WSDLs (LIMBO, PKITS, SUITES, CURL_EXCHANGES, XMLDSIG, WSDL)
	@scripts/interop/conformance

differential: ## Compare verdicts on mutated chains with those of OpenSSL, GnuTLS, Go, pyca and certvalidator (SECONDS=60, SEED=1)
	@scripts/make/setup differential
	@scripts/interop/differential --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

interop: ## Run tests with Apache, nginx, squid, TLS servers, pyspnego, xmlsec, signxml, zeep, spyne, a MIT KDC and browsers on loopback, and compare clients
	@scripts/make/setup interop
	@scripts/make/composer --check
	@scripts/interop/composer-journey
	@scripts/interop/run
	@scripts/interop/tls --built .build/debug

situations: build ## Run Countersign, curl, wget2 and requests with servers of private networks, and write docs/reports/situations.md
	@scripts/make/setup interop
	@scripts/interop/situations --ours .build/debug/countersign --output docs/reports/situations.md

memory: ## Fetch 1 GiB from nginx on loopback and measure the memory
	@scripts/make/setup memory
	@scripts/bench/memory

bench: ## Compare the session with AsyncHTTPClient and curl, and validations with OpenSSL; send ten million requests (ENDURE=NUMBER)
	@scripts/make/setup bench
	@scripts/bench/trust $(if $(ROUNDS),--rounds $(ROUNDS))
	@scripts/bench/session $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SCALE),--scale $(SCALE))
	@scripts/bench/session --endure $(or $(ENDURE),10000000)

bench-keychain: ## Measure the keychain by its size, and compare it with KeePassXC and pass (COUNT=1000 entries)
	@scripts/make/setup bench
	@"$$(scripts/make/release KeychainBench)" measure
	@scripts/bench/keychain "$$(scripts/make/release KeychainBench)" $(COUNT)

bench-tunnel: ## Compare the Ethernet tunnel with other tunnels between network namespaces (ROUNDS=1); requires root
	@scripts/make/setup bench
	@scripts/bench/tunnel $(if $(ROUNDS),--rounds $(ROUNDS))

bench-authority: setup ## Measure the authority, and compare it with OpenSSL and mkcert (COUNT=100 certificates)
	@scripts/make/setup bench
	@"$$(scripts/make/release AuthorityBench)"
	@scripts/make/release countersign-ca-serve > /dev/null
	@scripts/bench/authority "$$(dirname "$$(scripts/make/release countersign-ca)")" $(COUNT)

bench-soap: setup ## Compare the WSDL compiler with wsdl2h, signatures with xmlsec and signxml, and calls with plain requests
	@scripts/make/setup bench
	@scripts/bench/wsdl "$$(scripts/make/release WSDLGenerator)" $(ROUNDS)
	@"$$(scripts/make/release SOAPBench)"
	@"$$(scripts/make/release SOAPBench)" --attachment 1024
	@scripts/bench/signatures $(if $(ROUNDS),--rounds $(ROUNDS))

bench-web: setup ## Compare the web application's start page with a minimal Hummingbird server, and measure its memory
	@scripts/make/setup bench
	@scripts/make/release WebBench > /dev/null
	@scripts/bench/web "$$(dirname "$$(scripts/make/release countersign-web)")"

bench-weight: setup ## Compare the resolved packages, the build time and the size of a client with those of AsyncHTTPClient
	@scripts/bench/weight

crash: export COUNTERSIGN_BENCHMARKS = 1
crash: setup ## Kill a keychain writer and authority commands at random times, check that nothing is lost, and share a keychain
	swift build --product KeychainBench
	swift build --product countersign-keychain
	swift build --product countersign-ca
	@scripts/check/authority-crash .build/debug/countersign-ca $(or $(COUNT),1000)
	@scripts/check/keychain-crash .build/debug/KeychainBench $(or $(COUNT),1000)
	@scripts/check/keychain-share .build/debug/countersign-keychain $(or $(CALLS),5000)

fuzz: setup ## Fuzz every target for a minute (TARGET=ChainFuzz SECONDS=600 for one target and another duration)
	@scripts/check/fuzz "$(TARGET)" $(SECONDS)

sanitize: setup ## Run ten minutes of mixed load under the thread and address sanitizers (SECONDS=60 for a minute)
	@scripts/check/sanitize $(or $(SECONDS),600)

clean: ## Remove the build products; the results of the fuzzers stay in .build-fuzz
	swift package clean
	rm -rf .build-thread .build-address Benchmarks/Peers/.build Nearby/.build Examples/OtherPackages/.build
