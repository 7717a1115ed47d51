// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asn1 = product(name: "SwiftASN1", package: "swift-asn1")
    /// Only a build with the trait looks for the system's library.
    static let brotli = target(name: "CBrotli", condition: .when(traits: ["Brotli"]))
    static let coreMetrics = product(name: "CoreMetrics", package: "swift-metrics")
    static let collections = product(name: "DequeModule", package: "swift-collections")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
    /// Only a build with the trait looks for the system's library.
    static let gssapi = target(name: "CGSSAPI", condition: .when(traits: ["Negotiate"]))
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let hummingbirdTLS = product(name: "HummingbirdTLS", package: "hummingbird")
    /// Only a build with the trait looks for the system's library.
    static let postgreSQL = target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))
    static let serviceLifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let logging = product(name: "Logging", package: "swift-log")
    static let nioConcurrencyHelpers = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
    static let metrics = product(name: "Metrics", package: "swift-metrics")
    static let mustache = product(name: "Mustache", package: "swift-mustache")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHPACK = product(name: "NIOHPACK", package: "swift-nio-http2")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2")
    static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioHTTPTypesHTTP1 = product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioSOCKS = product(name: "NIOSOCKS", package: "swift-nio-extras")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let tracing = product(name: "Tracing", package: "swift-distributed-tracing")
    static let x509 = product(name: "X509", package: "swift-certificates")
}

let package = Package(
    name: "countersign",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Countersign", targets: ["Countersign"]),
        .library(name: "HTTPClientShape", targets: ["HTTPClientShape"]),
        .library(name: "Challenges", targets: ["Challenges"]),
        .library(name: "Negotiate", targets: ["Negotiate"]),
        .library(name: "CertificateTrust", targets: ["CertificateTrust"]),
        .library(name: "PolicyFile", targets: ["PolicyFile"]),
        .library(name: "Identities", targets: ["Identities"]),
        .library(name: "Keychain", targets: ["Keychain"]),
        .library(name: "KeychainAgent", targets: ["KeychainAgent"]),
        .library(name: "CertificateAuthority", targets: ["CertificateAuthority"]),
        .library(name: "ACME", targets: ["ACME"]),
        .library(name: "ACMEClient", targets: ["ACMEClient"]),
        .library(name: "ACMEServer", targets: ["ACMEServer"]),
        .library(name: "XMLDocuments", targets: ["XMLDocuments"]),
        .library(name: "XMLSignature", targets: ["XMLSignature"]),
        .library(name: "XMLValues", targets: ["XMLValues"]),
        .library(name: "XMLEncryption", targets: ["XMLEncryption"]),
        .library(name: "WSSecurity", targets: ["WSSecurity"]),
        .library(name: "SOAPClient", targets: ["SOAPClient"]),
        .library(name: "ChallengeLab", targets: ["ChallengeLab"]),
        .library(name: "PasswordComposer", targets: ["PasswordComposer"]),
        .library(name: "ErrorExplanations", targets: ["ErrorExplanations"]),
        .library(name: "ServerConnections", targets: ["ServerConnections"]),
        .executable(name: "countersign", targets: ["CountersignCommand"]),
        .executable(name: "countersign-keychain", targets: ["KeychainCommand"]),
        .executable(name: "countersign-ca", targets: ["AuthorityCommand"]),
        .executable(name: "countersign-ca-serve", targets: ["AuthorityServer"]),
        .plugin(name: "WSDLPlugin", targets: ["WSDLPlugin"]),
        .executable(name: "countersign-soap", targets: ["SOAPCommand"]),
        .executable(name: "countersign-web", targets: ["WebCommand"]),
    ],
    traits: [
        // What a build without --traits has: nothing, or what the environment names, so that all builds of a run share one folder.
        .default(
            enabledTraits: Set(
                (Context.environment["COUNTERSIGN_TRAITS"] ?? "").split(separator: ",").map(String.init))),
        .trait(
            name: "Brotli",
            description: "The content coding br, by the system's libbrotlidec; it needs brotli's development files."),
        .trait(
            name: "PostgreSQL",
            description: "The state of an authority in PostgreSQL, by libpq; it needs libpq's development files."),
        .trait(
            name: "Negotiate",
            description: "Kerberos by the system's GSSAPI; on Linux it needs MIT's development files."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.98.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.38.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
    ],
    targets: [
        .target(name: "ErrorExplanations"),
        .target(name: "Secrets", dependencies: [.crypto]),
        // Compiled for WebAssembly too, by scripts/composer.
        .target(name: "PasswordComposer"),
        .target(name: "CertificateTrust", dependencies: ["ErrorExplanations", .x509, .asn1, .crypto, .cryptoExtras]),
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .target(
            name: "PolicyFile", dependencies: ["CYAML", "CertificateTrust", "Challenges", "ErrorExplanations", .x509]),
        .target(
            name: "Identities", dependencies: ["ErrorExplanations", "Secrets", .x509, .asn1, .crypto, .cryptoExtras]),
        .systemLibrary(
            name: "CXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .target(name: "XMLDocuments", dependencies: ["CXML2", "ErrorExplanations"]),
        .target(name: "XMLValues", dependencies: ["CXML2", "ErrorExplanations", "XMLDocuments"]),
        .target(name: "WSDLCompiler", dependencies: ["ErrorExplanations", "XMLDocuments", "XMLValues"]),
        // The build plugin's tool, of few targets, so that it is built fast.
        .executableTarget(name: "WSDLGenerator", dependencies: ["WSDLCompiler"]),
        // Makes what scripts/compile-wsdl compiles and runs.
        .executableTarget(name: "WSDLHarness", dependencies: ["WSDLCompiler", "XMLDocuments"]),
        .plugin(name: "WSDLPlugin", capability: .buildTool(), dependencies: ["WSDLGenerator"]),
        .target(
            name: "XMLSignature",
            dependencies: [
                "CXML2", "CertificateTrust", "ErrorExplanations", "Identities", "XMLDocuments", .asn1, .crypto,
                .cryptoExtras, .x509,
            ]),
        .target(
            name: "XMLEncryption",
            dependencies: [
                "CXML2", "ErrorExplanations", "XMLDocuments", "XMLSignature", .asn1, .crypto, .cryptoExtras, .x509,
            ]),
        .target(
            name: "WSSecurity",
            dependencies: [
                "CXML2", "CertificateTrust", "ErrorExplanations", "Identities", "Secrets", "XMLDocuments",
                "XMLEncryption", "XMLSignature", .asn1, .crypto, .x509,
            ]),
        .target(
            name: "Challenges",
            dependencies: [
                "CertificateTrust", "ErrorExplanations", "Identities", "Secrets", .asn1, .crypto, .cryptoExtras, .x509,
            ]
        ),
        .systemLibrary(name: "CGSSAPI"),
        .target(
            name: "Negotiate",
            dependencies: ["Challenges", "Secrets", .gssapi],
            linkerSettings: [
                .linkedLibrary("gssapi_krb5", .when(platforms: [.linux], traits: ["Negotiate"])),
                .linkedFramework("GSS", .when(platforms: [.macOS], traits: ["Negotiate"])),
            ]
        ),
        .target(name: "CPKCS11"),
        .target(
            name: "PKCS11",
            dependencies: ["CPKCS11", "ErrorExplanations", "Secrets", .asn1, .crypto, .cryptoExtras, .x509]),
        .target(name: "CSystemCalls"),
        .target(name: "KeychainAgent", dependencies: ["CSystemCalls", "ErrorExplanations", "Secrets"]),
        .target(
            name: "Keychain",
            dependencies: [
                "CSystemCalls", "CertificateTrust", "Challenges", "ErrorExplanations", "Identities", "KeychainAgent",
                "Secrets", .asn1, .crypto, .cryptoExtras, .grdb, .x509,
            ]),
        .systemLibrary(name: "CBrotli", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "HTTPTransport",
            dependencies: [
                "CertificateTrust", "Identities", "Secrets", .collections, .crypto, .httpTypes,
                .nioConcurrencyHelpers, .nioCore, .nioHPACK, .nioPosix, .nioSSL, .nioTLS, .asn1, .x509,
            ]
        ),
        .target(
            name: "Countersign",
            dependencies: [
                "CertificateTrust", "Challenges", "CZlib", "ErrorExplanations", "HTTPTransport", "Identities",
                "Secrets",
                .brotli, .collections, .crypto, .httpTypes, .logging, .metrics, .nioConcurrencyHelpers, .nioCore,
                .nioPosix, .asn1, .tracing, .x509,
            ]
        ),
        .target(
            name: "SOAPClient",
            dependencies: [
                "Countersign", "ErrorExplanations", "WSSecurity", "XMLDocuments", "XMLValues", .logging, .nioCore,
                .x509,
            ]
        ),
        .target(
            name: "HTTPClientShape",
            dependencies: [
                "CertificateTrust", "Challenges", "Countersign", "ErrorExplanations", "Secrets", .httpTypes, .logging,
                .nioCore, .nioHTTP1, .nioHTTPTypesHTTP1,
            ]
        ),
        .target(
            name: "CertificateAuthority",
            dependencies: ["CertificateTrust", "ErrorExplanations", "Identities", .x509, .asn1, .crypto, .cryptoExtras]),
        .target(
            name: "ACME",
            dependencies: ["CertificateTrust", "ErrorExplanations", "Secrets", .asn1, .crypto, .cryptoExtras, .x509]),
        .target(
            name: "ACMEServer",
            dependencies: [
                "ACME", "CertificateAuthority", "CertificateTrust", "ErrorExplanations", "Secrets", .asn1, .crypto,
                .httpTypes, .x509,
            ]),
        .target(
            name: "ACMEClient",
            dependencies: [
                "ACME", "CertificateAuthority", "CertificateTrust", "Countersign", "ErrorExplanations", "Identities",
                "ServerConnections",
                .asn1, .crypto, .httpTypes, .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .nioTLS,
                .x509,
            ]),
        .target(name: "CSQLiteOptions"),
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "AuthorityStore",
            dependencies: [
                .postgreSQL,
                "CSQLiteOptions", "CertificateAuthority", "CertificateTrust", "ErrorExplanations", .asn1, .crypto,
                .grdb, .x509,
            ]),
        // Beside NIO alone, for every server.
        .target(
            name: "ServerConnections", dependencies: ["ErrorExplanations", .nioCore, .nioHTTP1]),
        .target(
            name: "HTTPServing",
            dependencies: [
                "ServerConnections", .hummingbirdCore, .logging, .nioCore, .nioHTTP1, .nioHTTPTypes, .nioHTTPTypesHTTP1,
            ]),
        .target(
            name: "ChallengeLab",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "Challenges", "ErrorExplanations", "Identities",
                "ServerConnections",
                .crypto, .cryptoExtras, .httpTypes, .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioHTTPTypes,
                .nioHTTPTypesHTTP1, .nioPosix, .nioSOCKS, .nioSSL, .asn1, .x509,
            ]
        ),
        .target(
            name: "CommandSupport",
            dependencies: [
                "CertificateTrust", "Challenges", "Countersign", "ErrorExplanations", "Identities", "PolicyFile",
                "CSystemCalls", "Secrets", .argumentParser, .asn1, .httpTypes, .nioConcurrencyHelpers, .nioCore, .x509,
            ]
        ),
        .target(
            name: "CommandSession",
            dependencies: [
                "CertificateTrust", "Challenges", "CommandSupport", "Countersign", "ErrorExplanations", "Identities",
                "Negotiate", "PolicyFile", "Secrets", .argumentParser, .nioConcurrencyHelpers, .x509,
            ]
        ),
        .target(
            name: "LabTour",
            dependencies: [
                "CertificateTrust", "ChallengeLab", "Challenges", "CommandSession", "CommandSupport", "Countersign",
                "ErrorExplanations", "Secrets", .httpTypes, .nioConcurrencyHelpers, .nioCore, .x509,
            ]
        ),
        .executableTarget(
            name: "CountersignCommand",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ChallengeLab", "Challenges", "CommandSession",
                "CommandSupport", "Countersign", "ErrorExplanations", "HTTPClientShape", "Identities", "LabTour",
                "PasswordComposer", "PolicyFile", "Secrets", .argumentParser, .httpTypes, .nioConcurrencyHelpers,
                .nioCore, .x509,
            ]
        ),
        .executableTarget(
            name: "KeychainCommand",
            dependencies: [
                "CertificateTrust", "Challenges", "CommandSupport", "Countersign", "ErrorExplanations", "Identities",
                "Keychain", "KeychainAgent", "Secrets", .argumentParser, .asn1, .x509,
            ]
        ),
        .executableTarget(
            name: "SOAPCommand",
            dependencies: [
                "CertificateTrust", "CommandSession", "CommandSupport", "Countersign", "ErrorExplanations",
                "PolicyFile",
                "SOAPClient",
                "WSDLCompiler", "WSSecurity", "XMLDocuments", "XMLEncryption", "XMLSignature", "XMLValues",
                .argumentParser, .httpTypes, .nioConcurrencyHelpers, .x509,
            ]
        ),
        .target(
            name: "AuthorityAccess",
            dependencies: [
                "AuthorityStore", "CertificateAuthority", "CommandSupport", "ErrorExplanations", "Identities",
                "PKCS11", "Secrets", .argumentParser, .x509,
            ]
        ),
        .target(name: "PrometheusText", dependencies: [.coreMetrics, .nioConcurrencyHelpers]),
        .executableTarget(
            name: "AuthorityServer",
            dependencies: [
                "ACME", "ACMEServer", "AuthorityAccess", "AuthorityStore", "CertificateAuthority", "CertificateTrust",
                "CommandSupport", "Countersign", "ErrorExplanations", "HTTPServing", "Identities", "PKCS11",
                "PrometheusText", "Secrets",
                .argumentParser, .asn1, .httpTypes, .hummingbird, .hummingbirdTLS, .logging, .metrics, .nioCore,
                .nioPosix, .nioSSL, .nioTLS, .serviceLifecycle, .x509,
            ]
        ),
        .executableTarget(
            name: "AuthorityCommand",
            dependencies: [
                "ACME", "ACMEClient", "AuthorityAccess", "AuthorityStore", "CertificateAuthority", "CertificateTrust",
                "CommandSupport", "Countersign", "ErrorExplanations", "Identities", "PKCS11", "Secrets",
                .argumentParser, .asn1, .x509,
            ]
        ),
        .target(
            name: "ComposerPage", path: "Composer",
            exclude: ["Wasm", "icon-maskable.svg"], sources: ["ComposerPage.swift"],
            resources: [
                "index.html", "composer.css", "composer.js", "composer-worker.js", "composer.wasm", "service-worker.js",
                "manifest.webmanifest", "icon.svg", "icon-192.png", "icon-512.png", "icon-maskable-512.png",
            ].map { .embedInCode($0) }
        ),
        .target(
            name: "WebApp",
            dependencies: [
                "CertificateTrust", "ChallengeLab", "Challenges", "CommandSession", "CommandSupport", "ComposerPage",
                "Countersign", "ErrorExplanations", "HTTPServing", "Identities", "Keychain", "KeychainAgent", "LabTour",
                "Secrets", "ServerConnections",
                .asn1, .httpTypes, .hummingbird, .hummingbirdCore, .hummingbirdTLS, .logging, .mustache,
                .nioConcurrencyHelpers, .nioCore, .nioHTTPTypes,
                .nioPosix, .nioSSL, .serviceLifecycle, .x509,
            ],
            resources: [.embedInCode("Files"), .embedInCode("Templates")]
        ),
        .executableTarget(
            name: "WebCommand",
            dependencies: ["CommandSession", "CommandSupport", "Countersign", "Secrets", "WebApp", .argumentParser]),
        .executableTarget(
            name: "SignatureHarness",
            dependencies: [
                "CertificateTrust", "ErrorExplanations", "XMLSignature", .argumentParser, .asn1, .x509,
            ]),
        .executableTarget(
            name: "LimboHarness",
            dependencies: ["CertificateTrust", "ErrorExplanations", .argumentParser, .asn1, .x509]),
        .executableTarget(
            name: "CurlReplay",
            dependencies: [
                "Challenges", "Countersign", "Secrets", .argumentParser, .crypto, .cryptoExtras, .httpTypes, .nioCore,
                .nioPosix,
            ]
        ),
        .executableTarget(
            name: "TrustBench",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "Identities", "TrustRecipes", "Turns", .argumentParser,
                .asn1, .crypto, .cryptoExtras, .x509,
            ],
            path: "Benchmarks/TrustBench"
        ),
        .executableTarget(
            name: "SignatureBench",
            dependencies: [
                "CertificateAuthority", "Identities", "Turns", "XMLSignature", .argumentParser, .asn1, .x509,
            ],
            path: "Benchmarks/SignatureBench"
        ),
        .executableTarget(
            name: "ChallengeBench",
            dependencies: [
                "CAllocationCount", "Challenges", "Secrets", "Turns", .argumentParser, .crypto, .cryptoExtras,
            ],
            path: "Benchmarks/ChallengeBench"
        ),
        .executableTarget(
            name: "KeychainBench",
            dependencies: [
                "CertificateTrust", "Challenges", "Keychain", "KeychainAgent", "Secrets", .argumentParser,
            ],
            path: "Benchmarks/KeychainBench"
        ),
        .executableTarget(
            name: "AuthorityBench",
            dependencies: [
                "AuthorityStore", "CertificateAuthority", "CertificateTrust", "Identities", .argumentParser, .x509,
            ],
            path: "Benchmarks/AuthorityBench"
        ),
        .executableTarget(
            name: "MixedLoad",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ChallengeLab", "Challenges", "Countersign",
                "ErrorExplanations", "Identities",
                "Secrets", "TrustRecipes", .argumentParser, .asn1, .httpTypes, .nioConcurrencyHelpers, .nioCore,
                .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL, .x509,
            ],
            path: "Benchmarks/MixedLoad"
        ),
        .executableTarget(
            name: "SessionBench",
            dependencies: [
                "CertificateTrust", "Countersign", "Identities", "Load", .argumentParser, .httpTypes, .nioCore,
            ],
            path: "Benchmarks/SessionBench"
        ),
        .executableTarget(
            name: "SOAPBench",
            dependencies: [
                "ChallengeLab", "Countersign", "SOAPClient", "Turns", .argumentParser, .nioCore,
            ],
            path: "Benchmarks/SOAPBench"
        ),
        .executableTarget(name: "WebBench", dependencies: [.hummingbird, .logging], path: "Benchmarks/WebBench"),
        .target(
            name: "Load", dependencies: ["CAllocationCount", .argumentParser, .nioCore], path: "Benchmarks/Load"),
        .target(name: "Turns", path: "Benchmarks/Turns"),
        .target(name: "CAllocationCount", path: "Benchmarks/CAllocationCount"),
        .testTarget(
            name: "ACMETests",
            dependencies: [
                "ACME", "ACMEClient", "ACMEServer", "CertificateAuthority", "CertificateTrust", "Countersign",
                "ErrorChecks", "ErrorExplanations", "Identities", "Secrets", .asn1, .crypto, .cryptoExtras,
                .httpTypes, .nioCore, .nioEmbedded, .nioPosix, .nioSSL, .nioTLS, .x509,
            ]),
        .testTarget(name: "SecretsTests", dependencies: ["Secrets"]),
        .testTarget(name: "PasswordComposerTests", dependencies: ["PasswordComposer", .crypto, .cryptoExtras]),
        .target(name: "ErrorChecks", dependencies: ["ErrorExplanations"], path: "Tests/ErrorChecks"),
        .target(
            name: "TrustRecipes", dependencies: [.x509, .asn1, .crypto, .cryptoExtras], path: "Tests/TrustRecipes"),
        .target(
            name: "TestServer",
            dependencies: [
                "ChallengeLab", .logging, .nioConcurrencyHelpers, .nioCore, .nioEmbedded, .nioHPACK, .nioHTTP2,
                .nioPosix, .nioSSL,
            ],
            path: "Tests/TestServer"),
        .testTarget(
            name: "CertificateTrustTests",
            dependencies: [
                "CertificateTrust", "ErrorChecks", "ErrorExplanations", "LimboHarness", "TrustRecipes", .argumentParser,
                .x509, .asn1, .crypto,
            ]
        ),
        .testTarget(
            name: "PolicyFileTests",
            dependencies: [
                "PolicyFile", "CertificateTrust", "ErrorChecks", "ErrorExplanations", "TestServer", "TrustRecipes",
                .x509,
            ]),
        .testTarget(
            name: "IdentitiesTests",
            dependencies: [
                "ErrorChecks", "ErrorExplanations", "Identities", "Secrets", "TestServer", "TrustRecipes", .x509, .asn1,
                .crypto, .cryptoExtras,
            ]),
        .testTarget(
            name: "KeychainAgentTests", dependencies: ["ErrorChecks", "ErrorExplanations", "KeychainAgent", "Secrets"]),
        .testTarget(
            name: "KeychainTests",
            dependencies: [
                "CertificateTrust", "Challenges", "ErrorChecks", "ErrorExplanations", "Identities", "Keychain",
                "KeychainAgent", "Secrets", "TrustRecipes", .crypto, .grdb, .x509,
            ]),
        .testTarget(
            name: "ChallengesTests",
            dependencies: [
                "Challenges", "CertificateTrust", "ErrorChecks", "ErrorExplanations", "Identities", "Secrets",
                "TrustRecipes", .crypto, .x509,
            ]
        ),
        .testTarget(
            name: "XMLValuesTests", dependencies: ["ErrorChecks", "ErrorExplanations", "XMLValues"]),
        .testTarget(
            name: "XMLSignatureTests",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ErrorChecks", "ErrorExplanations", "Identities",
                "XMLDocuments", "XMLSignature", .crypto, .x509,
            ]),
        .testTarget(
            name: "WSDLCompilerTests",
            dependencies: ["ErrorChecks", "ErrorExplanations", "WSDLCompiler", "XMLDocuments", "XMLValues"]),
        .testTarget(
            name: "XMLEncryptionTests",
            dependencies: [
                "CertificateAuthority", "ErrorChecks", "ErrorExplanations", "Identities", "XMLDocuments",
                "XMLEncryption", .asn1, .crypto, .cryptoExtras, .x509,
            ]),
        .testTarget(
            name: "WSSecurityTests",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ErrorChecks", "ErrorExplanations", "Identities",
                "Secrets", "WSSecurity", "XMLDocuments", "XMLEncryption", "XMLSignature", .asn1, .crypto, .x509,
            ]),
        .testTarget(
            name: "CertificateAuthorityTests",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ErrorChecks", "ErrorExplanations", "Identities", .asn1,
                .crypto, .x509,
            ]
        ),
        .testTarget(
            name: "PKCS11Tests",
            dependencies: ["CPKCS11", "ErrorChecks", "ErrorExplanations", "PKCS11", .asn1, .crypto, .x509]),
        .testTarget(name: "PrometheusTextTests", dependencies: ["PrometheusText", .metrics]),
        .testTarget(
            name: "HTTPServingTests",
            dependencies: [
                "HTTPServing", "ServerConnections", .hummingbird, .hummingbirdCore, .logging, .nioConcurrencyHelpers,
                .nioCore, .nioPosix, .serviceLifecycle,
            ]),
        .testTarget(
            name: "AuthorityServerTests",
            dependencies: [
                "AuthorityAccess", "AuthorityServer", "AuthorityStore", "CertificateAuthority", "Identities", .x509,
            ]),
        .testTarget(
            name: "AuthorityStoreTests",
            dependencies: [
                "AuthorityStore", "CertificateAuthority", "CertificateTrust", "ErrorChecks", "ErrorExplanations",
                "Identities", .grdb, .x509,
            ]
        ),
        .testTarget(
            name: "ChallengeLabTests",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ChallengeLab", "Challenges", "ErrorChecks",
                "ErrorExplanations", "Identities", "Secrets",
                .asn1, .httpTypes, .nioCore, .nioHTTP1, .nioPosix, .x509,
            ]
        ),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: ["CertificateTrust", "HTTPTransport", .httpTypes, .nioCore, .nioEmbedded, .nioHPACK]
        ),
        .testTarget(
            name: "CountersignTests",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ChallengeLab", "Challenges", "Countersign", "CZlib",
                "ErrorExplanations",
                "HTTPTransport", "Identities", "Keychain", "Secrets", "TestServer", "TrustRecipes", .asn1, .brotli,
                .crypto,
                .httpTypes, .logging, .metrics,
                .nioConcurrencyHelpers, .nioCore, .nioEmbedded, .nioHTTP2, .nioPosix, .nioSSL, .tracing, .x509,
            ],
            linkerSettings: [.linkedLibrary("brotlienc", .when(platforms: [.linux, .macOS], traits: ["Brotli"]))]
        ),
        .testTarget(
            name: "SOAPClientTests",
            dependencies: [
                "CertificateAuthority", "ChallengeLab", "Countersign", "ErrorChecks", "ErrorExplanations", "SOAPClient",
                "TestServer", "WSSecurity", .logging, .nioConcurrencyHelpers, .nioCore, .x509,
            ]
        ),
        .testTarget(
            name: "HTTPClientShapeTests",
            dependencies: [
                "ChallengeLab", "Countersign", "ErrorChecks", "ErrorExplanations", "HTTPClientShape", .httpTypes,
                .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioPosix,
            ]
        ),
        .testTarget(
            name: "WebAppTests",
            dependencies: [
                "CertificateAuthority", "CertificateTrust", "ChallengeLab", "Challenges", "CommandSupport",
                "Countersign", "ErrorChecks",
                "Identities", "Keychain", "KeychainAgent", "Secrets", "TestServer", "WebApp", .asn1, .httpTypes,
                .nioConcurrencyHelpers, .nioCore, .nioPosix, .x509,
            ]),
        .testTarget(name: "CurlReplayTests", dependencies: ["Challenges", "CurlReplay"]),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "CertificateAuthority", "ChallengeLab", "Countersign", "Identities", "Negotiate", "PKCS11",
                "SOAPClient",
                "Secrets",
                "TestServer", "WSSecurity", "XMLEncryption", "XMLSignature", .asn1, .crypto, .cryptoExtras, .gssapi,
                .httpTypes, .nioConcurrencyHelpers, .nioCore, .x509,
            ],
            plugins: ["WSDLPlugin"]),
        .testTarget(
            name: "CountersignCommandTests",
            dependencies: [
                "AuthorityCommand", "CertificateTrust", "ChallengeLab", "Challenges", "CommandSession",
                "CommandSupport", "Countersign", "CountersignCommand", "ErrorExplanations", "Identities", "Keychain",
                "KeychainCommand", "LabTour", "SOAPCommand", "Secrets", "TestServer", "TrustRecipes", "WebCommand",
                .argumentParser, .httpTypes, .nioConcurrencyHelpers, .nioCore, .nioPosix, .nioSSL, .asn1, .x509,
            ],
            exclude: ["Transcripts/Cases", "Transcripts/README.md", "curl-7.88.1-options.txt"]
        ),
    ]
)

// libFuzzer is linked where scripts/fuzz builds, and nowhere else.
if Context.environment["COUNTERSIGN_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
        .target(name: "FuzzDriver", dependencies: ["CLibFuzzer", "TrustRecipes"], path: "Fuzz/FuzzDriver"),
        .executableTarget(
            name: "ChainFuzz",
            dependencies: [
                "CertificateTrust", "ErrorExplanations", "FuzzDriver", "TrustRecipes", .asn1, .crypto,
                .x509,
            ],
            path: "Fuzz/ChainFuzz"
        ),
        .executableTarget(
            name: "HostNameFuzz", dependencies: ["CertificateTrust", "FuzzDriver", .x509], path: "Fuzz/HostNameFuzz"
        ),
        .executableTarget(
            name: "ListFuzz", dependencies: ["CertificateTrust", "FuzzDriver", "TrustRecipes", .asn1, .crypto, .x509],
            path: "Fuzz/ListFuzz"
        ),
        .executableTarget(
            name: "TransparencyFuzz", dependencies: ["CertificateTrust", "FuzzDriver", "TrustRecipes", .crypto, .x509],
            path: "Fuzz/TransparencyFuzz"
        ),
        .executableTarget(
            name: "CertificateFuzz", dependencies: ["CertificateTrust", "FuzzDriver", "TrustRecipes", .asn1, .x509],
            path: "Fuzz/CertificateFuzz"
        ),
        .executableTarget(
            name: "PolicyFileFuzz",
            dependencies: ["CertificateTrust", "FuzzDriver", "PolicyFile", "TrustRecipes", .x509],
            path: "Fuzz/PolicyFileFuzz"
        ),
        .executableTarget(
            name: "ResponseFuzz",
            dependencies: ["CertificateTrust", "FuzzDriver", "TrustRecipes", .crypto, .x509],
            path: "Fuzz/ResponseFuzz"
        ),
        .executableTarget(
            name: "NTLMFuzz", dependencies: ["Challenges", "FuzzDriver", "Secrets"], path: "Fuzz/NTLMFuzz"),
        .executableTarget(
            name: "ChallengeFuzz", dependencies: ["Challenges", "FuzzDriver", "Secrets"], path: "Fuzz/ChallengeFuzz"),
        .executableTarget(
            name: "SCRAMFuzz", dependencies: ["Challenges", "FuzzDriver", "Secrets"], path: "Fuzz/SCRAMFuzz"),
        .executableTarget(
            name: "NetrcFuzz", dependencies: ["CertificateTrust", "Challenges", "FuzzDriver", "Secrets"],
            path: "Fuzz/NetrcFuzz"
        ),
        .executableTarget(
            name: "IdentityFuzz",
            dependencies: ["FuzzDriver", "Identities", "Secrets", "TrustRecipes", .crypto, .x509],
            path: "Fuzz/IdentityFuzz"
        ),
        .executableTarget(
            name: "SignatureFuzz", dependencies: ["FuzzDriver", "XMLSignature"], path: "Fuzz/SignatureFuzz"),
        .executableTarget(
            name: "EncryptionFuzz", dependencies: ["FuzzDriver", "XMLEncryption"], path: "Fuzz/EncryptionFuzz"),
        .executableTarget(
            name: "SecurityFuzz", dependencies: ["FuzzDriver", "Secrets", "WSSecurity"], path: "Fuzz/SecurityFuzz"),
        .executableTarget(
            name: "ValueFuzz", dependencies: ["FuzzDriver", "XMLDocuments", "XMLValues"], path: "Fuzz/ValueFuzz"),
        .executableTarget(
            name: "KeychainFuzz", dependencies: ["FuzzDriver", "Keychain", "KeychainAgent", "Secrets"],
            path: "Fuzz/KeychainFuzz"
        ),
        .executableTarget(
            name: "CookieFuzz", dependencies: ["CertificateTrust", "Countersign", "FuzzDriver", "Secrets"],
            path: "Fuzz/CookieFuzz"
        ),
        .executableTarget(
            name: "ServerFlightFuzz", dependencies: ["FuzzDriver", "HTTPTransport", "TrustRecipes"],
            path: "Fuzz/ServerFlightFuzz"
        ),
        .executableTarget(
            name: "HTTP2Fuzz", dependencies: ["FuzzDriver", "HTTPTransport", .httpTypes, .nioCore],
            path: "Fuzz/HTTP2Fuzz"
        ),
        .executableTarget(
            name: "ContentDecoderFuzz", dependencies: ["Countersign", "FuzzDriver", .nioCore],
            path: "Fuzz/ContentDecoderFuzz"
        ),
        .executableTarget(
            name: "EnvelopeFuzz", dependencies: ["ErrorExplanations", "FuzzDriver", "SOAPClient", .nioCore],
            path: "Fuzz/EnvelopeFuzz"
        ),
        .executableTarget(
            name: "DescriptionFuzz", dependencies: ["ErrorExplanations", "FuzzDriver", "WSDLCompiler"],
            path: "Fuzz/DescriptionFuzz"
        ),
        // Builds them all.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CertificateFuzz", "ChainFuzz", "ChallengeFuzz", "ContentDecoderFuzz", "CookieFuzz", "DescriptionFuzz",
                "EncryptionFuzz", "EnvelopeFuzz", "HostNameFuzz", "IdentityFuzz", "KeychainFuzz", "ListFuzz",
                "NTLMFuzz", "NetrcFuzz",
                "PolicyFileFuzz", "ResponseFuzz", "SCRAMFuzz", "SecurityFuzz", "ServerFlightFuzz", "SignatureFuzz",
                "TransparencyFuzz", "ValueFuzz",
            ],
            path: "Fuzz/FuzzTargets"
        ),
    ]
}

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = settings
    // A request passes through many asynchronous functions, and each would look for its executor anew.
    if ["Countersign", "HTTPTransport"].contains(target.name) {
        target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    }
}
