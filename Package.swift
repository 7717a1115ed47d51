// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackageDescription

/// Whether another package depends on this one by a URL.
///
/// SwiftPM loads the manifest with the directory "/" to resolve such a package, and then in its folder of checkouts.
let isDependency =
    Context.packageDirectory == "/"
    || FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/../../workspace-state.json")

/// The traits of a build without --traits.
///
/// The environment adds some, so that all builds of a run share one folder.
let defaultTraits = Set(
    (Context.environment["COUNTERSIGN_TRAITS"] ?? "").split(separator: ",").map(String.init)
        + (isDependency ? [] : ["Programs"]))

/// A dependency of a target, or several that belong together.
struct Dependencies: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    let list: [Target.Dependency]

    init(_ list: [Target.Dependency]) { self.list = list }
    init(stringLiteral name: String) { list = [.target(name: name)] }
    init(arrayLiteral parts: Dependencies...) { list = parts.flatMap(\.list) }

    /// Returns a product of another package.
    ///
    /// - Parameters:
    ///   - name: The name of the product.
    ///   - package: The name of its package.
    ///   - trait: The trait that adds the package, which a client does not need; `nil` if clients need it.
    /// - Returns: The dependency.
    static func product(_ name: String, _ package: String, trait: String? = nil) -> Dependencies {
        Dependencies([.product(name: name, package: package, condition: trait.flatMap { .when(traits: [$0]) })])
    }

    static let argumentParser = product("ArgumentParser", "swift-argument-parser", trait: "Programs")
    static let asn1 = product("SwiftASN1", "swift-asn1")
    static let collections = product("DequeModule", "swift-collections")
    static let configuration = product("Configuration", "swift-configuration", trait: "ConfigurationSupport")
    static let coreMetrics = product("CoreMetrics", "swift-metrics")
    static let crypto = product("Crypto", "swift-crypto")
    static let cryptoExtras = product("CryptoExtras", "swift-crypto")
    static let grdb = product("GRDB", "GRDB.swift", trait: "Keychains")
    static let httpTypes = product("HTTPTypes", "swift-http-types")
    static let hummingbird = product("Hummingbird", "hummingbird", trait: "Programs")
    static let hummingbirdCore = product("HummingbirdCore", "hummingbird", trait: "Programs")
    static let hummingbirdTLS = product("HummingbirdTLS", "hummingbird", trait: "Programs")
    static let logging = product("Logging", "swift-log")
    static let metrics = product("Metrics", "swift-metrics")
    static let mustache = product("Mustache", "swift-mustache", trait: "Programs")
    static let nioConcurrencyHelpers = product("NIOConcurrencyHelpers", "swift-nio")
    static let nioCore = product("NIOCore", "swift-nio")
    static let nioEmbedded = product("NIOEmbedded", "swift-nio")
    static let nioHPACK = product("NIOHPACK", "swift-nio-http2")
    static let nioHTTP1 = product("NIOHTTP1", "swift-nio")
    static let nioHTTP2 = product("NIOHTTP2", "swift-nio-http2")
    static let nioHTTPTypes = product("NIOHTTPTypes", "swift-nio-extras", trait: "ChallengeLab")
    static let nioHTTPTypesHTTP1 = product("NIOHTTPTypesHTTP1", "swift-nio-extras", trait: "ChallengeLab")
    static let nioPosix = product("NIOPosix", "swift-nio")
    static let nioSOCKS = product("NIOSOCKS", "swift-nio-extras", trait: "ChallengeLab")
    static let nioSSL = product("NIOSSL", "swift-nio-ssl")
    static let nioTLS = product("NIOTLS", "swift-nio")
    static let serviceLifecycle = product("ServiceLifecycle", "swift-service-lifecycle", trait: "Programs")
    static let sessionService = product(
        "ServiceLifecycle", "swift-service-lifecycle", trait: "ServiceLifecycleSupport")
    static let tracing = product("Tracing", "swift-distributed-tracing")
    static let x509 = product("X509", "swift-certificates")
    static let pki: Dependencies = [asn1, crypto, cryptoExtras, x509]
    static let nio: Dependencies = [nioConcurrencyHelpers, nioCore, nioPosix]
    static let http: Dependencies = [httpTypes, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1]
    static let trust: Dependencies = ["CertificateTrust", "Identities"]
    static let client: Dependencies = [trust, "Challenges", "Countersign", "Secrets"]
    static let xml: Dependencies = ["XMLDocuments", "XMLEncryption", "XMLSignature"]
    static let command: Dependencies = [client, "CommandSupport", argumentParser]
    static let tls: Dependencies = [nioSSL, nioTLS]
    static let hummingbirds: Dependencies = [hummingbird, hummingbirdCore, hummingbirdTLS]
    // Only a build with the trait needs the system library.
    static let brotli = Dependencies([.target(name: "CBrotli", condition: .when(traits: ["Brotli"]))])
    static let zstd = Dependencies([.target(name: "CZstd", condition: .when(traits: ["Zstd"]))])
    static let gssapi = Dependencies([.target(name: "CGSSAPI", condition: .when(traits: ["Negotiate"]))])
    static let openSSL = Dependencies([.target(name: "COpenSSLShim", condition: .when(traits: ["OpenSSL"]))])
    static let openSSLHeaders = Dependencies([.target(name: "COpenSSL", condition: .when(traits: ["OpenSSL"]))])
    static let postgreSQL = Dependencies([.target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))])
}

typealias Targets = KeyValuePairs<String, [Dependencies]>

/// The areas in their order: each target may use those of its own area and of the areas above.
let sources: KeyValuePairs<String, Targets> = [
    "Sources/Base": [
        "POSIX": [],
        "EssentialFoundation": [],
        "ErrorExplanations": [],
        "Encodings": [],
        "Secrets": [.crypto],
        "NetworkNames": [],
        "CSystemCalls": [],
        "PrivateFiles": [],
        "ServerConnections": [.nioCore, .nioHTTP1],
        "HTTPServing": ["ServerConnections", .http, .hummingbirdCore, .logging, .nioCore],
    ],
    "Sources/Client": [
        "CertificateTrust": ["NetworkNames", .pki, .openSSL],
        "Identities": ["CertificateTrust", "Secrets", .pki],
        "CertificateTrustNIOSSL": [.trust, .pki, .nioCore, .nioSSL],
        "Challenges": ["Secrets", .pki, .trust],
        "COpenSSLShim": [.openSSLHeaders],
        "TLSTransport": ["Identities", "Secrets", .pki, .collections, .nioCore, .nioSSL, .openSSL],
        "HTTPTransport": [
            "Secrets", "TLSTransport", .trust, .nio, .collections, .httpTypes, .nioHPACK,
        ],
        "Countersign": [
            "CZlib", "CertificateTrustNIOSSL", "Challenges", "HTTPTransport", "PrivateFiles", "Secrets", "TLSTransport",
            .pki, .nio, .trust, .brotli, .collections, .configuration, .httpTypes, .logging, .metrics, .sessionService,
            .tracing, .zstd,
        ],
        "Negotiate": ["Challenges", "Secrets", .gssapi],
        "PolicyFiles": ["CYAML", "CertificateTrust", "Challenges", .x509],
        "HTTPClientShape": [.client, .httpTypes, .logging, .nioCore, .nioHTTP1],
        "CountersignURLProtocol": [.client, .httpTypes, .nioConcurrencyHelpers, .nioCore],
    ],
    "Sources/Keychain": [
        "KeychainAgents": ["CSystemCalls", "PrivateFiles", "Secrets"],
        "Keychains": ["CSystemCalls", "Challenges", "KeychainAgents", "PrivateFiles", "Secrets", .pki, .trust, .grdb],
        "PasswordComposer": [],
    ],
    "Sources/Authority": [
        "CertificateAuthorities": [.pki, .trust],
        "CSQLiteOptions": [],
        "AuthorityStore": [
            "CSQLiteOptions", "CertificateAuthorities", "CertificateTrust", "PrivateFiles", .pki, .grdb, .postgreSQL,
        ],
        "CPKCS11": [],
        "PKCS11": ["CPKCS11", "Secrets", .pki],
        "AuthorityAccess": ["AuthorityStore", "CertificateAuthorities", "KeychainService", "PKCS11", .command, .x509],
        "ACME": ["CertificateTrust", "Secrets", .pki],
        "ACMEClients": [
            "ACME", "CertificateAuthorities", "ServerConnections", .client, .pki, .nio, .tls, .httpTypes, .nioHTTP1,
        ],
        "ACMEServers": ["ACME", "CertificateAuthorities", "CertificateTrust", "Secrets", .pki, .httpTypes],
        "PrometheusText": [.coreMetrics, .nioConcurrencyHelpers],
    ],
    "Sources/SOAP": [
        "XMLDocuments": ["CXML2"],
        "XMLValues": ["CXML2", "XMLDocuments"],
        "XMLSignature": ["CXML2", "XMLDocuments", .pki, .trust],
        "XMLEncryption": ["CXML2", "XMLDocuments", "XMLSignature", .pki],
        "WSSecurity": ["CXML2", "Secrets", .pki, .trust, .xml],
        "SOAPClients": ["Countersign", "WSSecurity", "XMLDocuments", "XMLValues", .logging, .nioCore, .x509],
        "WSDLCompiler": ["XMLDocuments", "XMLValues"],
        "WSDLGenerator": ["WSDLCompiler"],
    ],
    "Sources/Lab": [
        "TLSServer": ["Identities", "TLSTransport", .asn1, .nioCore, .nioSSL, .x509],
        "ChallengeLab": [
            "CertificateAuthorities", "Challenges", "PrivateFiles", "ServerConnections", "TLSServer", .pki, .nio,
            .http, .trust, .nioSOCKS, .nioSSL,
        ],
        "ChallengeLabTesting": ["ChallengeLab"],
        "LabTour": ["ChallengeLab", "CommandSession", "CommandSupport", .client, .nio, .httpTypes, .x509],
    ],
    "Sources/Web": [
        "ComposerPage": [],
        "WebApp": [
            "ChallengeLab", "CommandSession", "CommandSupport", "ComposerPage", "HTTPServing", "Keychains",
            "KeychainAgents", "KeychainService", "LabTour", "ServerConnections", .client, .nio, .hummingbirds, .asn1,
            .httpTypes, .logging, .mustache, .nioHTTPTypes, .nioSSL, .serviceLifecycle, .x509,
        ],
    ],
    "Sources/Commands": [
        "CommandSupport": [
            "CSystemCalls", "PolicyFiles", "PrivateFiles", .client, .nio, .argumentParser, .asn1, .httpTypes, .x509,
        ],
        "KeychainService": ["CommandSupport", .client, .asn1, .x509],
        "CommandSession": [
            "KeychainService", "Negotiate", "PKCS11", "PolicyFiles", .command, .nioConcurrencyHelpers, .x509,
        ],
        "CountersignCommand": [
            "CertificateAuthorities", "CertificateTrustNIOSSL", "ChallengeLab", "CommandSession", "HTTPClientShape",
            "KeychainService", "LabTour", "PasswordComposer", "PolicyFiles", .nio, .command, .httpTypes, .x509,
        ],
        "KeychainCommand": ["Keychains", "KeychainAgents", "KeychainService", .command, .asn1, .x509],
        "AuthorityCommand": [
            "ACME", "ACMEClients", "AuthorityAccess", "AuthorityStore", "CertificateAuthorities", "KeychainService",
            "PKCS11", .command, .asn1, .x509,
        ],
        "AuthorityServerCommand": [
            "ACME", "ACMEServers", "AuthorityAccess", "AuthorityStore", "CertificateAuthorities", "HTTPServing",
            "KeychainService", "PKCS11", "PrometheusText", .nio, .command, .tls, .hummingbirds, .asn1, .httpTypes,
            .logging, .metrics, .serviceLifecycle, .x509,
        ],
        "SOAPCommand": [
            "CommandSession", "KeychainService", "PolicyFiles", "SOAPClients", "WSDLCompiler", "WSSecurity",
            "XMLValues",
            .xml, .command, .httpTypes, .nioConcurrencyHelpers, .x509,
        ],
        "WebCommand": ["CommandSession", "KeychainService", "WebApp", .command],
    ],
]

/// The programs and libraries for this package's tests, and the
/// tests, each of which depends on the target with its name.
let tests: KeyValuePairs<String, Targets> = [
    "Conformance": [
        "CurlReplay": [.client, .nio, .argumentParser, .crypto, .cryptoExtras, .httpTypes],
        "LimboHarness": ["CertificateTrust", .argumentParser, .asn1, .x509],
        "SignatureHarness": ["CertificateTrust", "XMLSignature", .argumentParser, .asn1, .x509],
        "TLSHarness": ["Identities", "Secrets", "TLSTransport", .argumentParser, .nio],
        "WSDLHarness": ["WSDLCompiler", "XMLDocuments"],
    ],
    "Tests/Base": [
        "SecretsTests": [],
        "PrivateFilesTests": [],
        "EncodingsTests": [],
        "HTTPServingTests": ["ServerConnections", .nio, .hummingbirds, .logging, .serviceLifecycle],
        "NetworkNamesTests": [],
        "ErrorChecks": [],
    ],
    "Tests/Client": [
        "TrustRecipes": [.pki],
        "CertificateTrustTests": ["LimboHarness", "TrustRecipes", .pki, .argumentParser],
        "TestServer": ["ChallengeLab", .nio, .logging, .nioEmbedded, .nioHPACK, .nioHTTP2, .nioSSL],
        "IdentitiesTests": ["Secrets", "TestServer", "TrustRecipes", .pki],
        "CertificateTrustNIOSSLTests": [
            "ChallengeLab", "Countersign", "TrustRecipes", .trust, .pki, .nio, .tls,
        ],
        "TLSRecipes": [.pki],
        "ChallengesTests": ["Secrets", "TLSRecipes", "TrustRecipes", .pki, .trust],
        "TLSTransportTests": [
            "Identities", "Secrets", "TLSRecipes", "TLSServer", "TrustRecipes", .pki, .nio, .nioEmbedded,
        ],
        "HTTPTransportTests": [
            "TLSTransport", "TrustRecipes", .trust, .httpTypes, .nioCore, .nioEmbedded, .nioHPACK, .x509,
        ],
        "CountersignTests": [
            "CZlib", "CertificateAuthorities", "ChallengeLab", "Challenges", "HTTPTransport", "Keychains", "Secrets",
            "TLSRecipes", "TLSTransport", "TestServer", "TrustRecipes", .trust, .pki, .nio, .brotli, .configuration,
            .httpTypes, .logging, .metrics, .nioEmbedded, .nioHTTP2, .nioSSL, .sessionService, .tracing, .zstd,
        ],
        "PolicyFilesTests": ["CertificateTrust", "TestServer", "TrustRecipes", .x509],
        "HTTPClientShapeTests": ["ChallengeLab", "ChallengeLabTesting", "Countersign", .nio, .httpTypes, .nioHTTP1],
        "CountersignURLProtocolTests": [
            "CertificateAuthorities", "ChallengeLab", "TestServer", .client, .nio, .httpTypes, .x509,
        ],
    ],
    "Tests/Keychain": [
        "KeychainsTests": ["Challenges", "KeychainAgents", "Secrets", "TrustRecipes", .trust, .crypto, .grdb, .x509],
        "KeychainAgentsTests": ["Secrets"],
        "PasswordComposerTests": [.crypto, .cryptoExtras],
    ],
    "Tests/Authority": [
        "CertificateAuthoritiesTests": [.pki, .trust],
        "AuthorityStoreTests": ["CertificateAuthorities", .trust, .grdb, .x509],
        "ACMETests": [
            "ACMEClients", "ACMEServers", "CertificateAuthorities", .client, .pki, .nio, .tls, .httpTypes, .nioEmbedded,
        ],
        "PKCS11Tests": ["CPKCS11", .pki],
        "PrometheusTextTests": [.metrics],
    ],
    "Tests/SOAP": [
        "XMLValuesTests": [],
        "XMLSignatureTests": ["CertificateAuthorities", "XMLDocuments", .trust, .crypto, .x509],
        "XMLEncryptionTests": ["CertificateAuthorities", "Identities", "XMLDocuments", .pki],
        "WSSecurityTests": ["CertificateAuthorities", "Secrets", .pki, .trust, .xml],
        "SOAPClientsTests": [
            "CertificateAuthorities", "ChallengeLab", "Countersign", "TestServer", "WSSecurity", .nio, .logging, .x509,
        ],
        "WSDLCompilerTests": ["XMLDocuments", "XMLValues"],
    ],
    "Tests/Lab": [
        "ChallengeLabTests": [
            "CertificateAuthorities", "ChallengeLabTesting", "PrivateFiles", "TLSTransport", .client, .nio, .asn1,
            .httpTypes, .nioHTTP1, .x509,
        ]
    ],
    "Tests/Web": [
        "WebAppTests": [
            "CertificateAuthorities", "ChallengeLab", "ChallengeLabTesting", "CommandSupport", "Keychains",
            "KeychainAgents", "TestServer", .client, .nio, .asn1, .httpTypes, .x509,
        ]
    ],
    "Tests/Commands": [
        "CountersignCommandTests": [
            "AuthorityCommand", "ChallengeLab", "CommandSession", "Keychains", "KeychainCommand", "LabTour",
            "SOAPCommand", "TLSRecipes", "TestServer", "TrustRecipes", "WebCommand", .nio, .command, .asn1, .crypto,
            .httpTypes, .nioSSL, .x509,
        ],
        "AuthorityServerCommandTests": ["AuthorityAccess", "AuthorityStore", "CertificateAuthorities", .trust, .x509],
    ],
    "Tests/Conformance": [
        "CurlReplayTests": ["Challenges"],
        "InteropTests": [
            "CertificateAuthorities", "ChallengeLab", "ChallengeLabTesting", "Countersign", "CountersignURLProtocol",
            "Identities", "Negotiate", "PKCS11", "SOAPClients", "Secrets", "TestServer", "WSSecurity", "XMLEncryption",
            "XMLSignature", .pki, .nio, .gssapi, .httpTypes,
        ],
    ],
]

let benchmarks: Targets = [
    "Turns": [],
    "TrustBench": [
        "CertificateAuthorities", "CertificateTrust", "Identities", "TrustRecipes", "Turns", .pki, .argumentParser,
    ],
    "SignatureBench": ["CertificateAuthorities", "Identities", "Turns", "XMLSignature", .argumentParser, .asn1, .x509],
    "CAllocationCount": [],
    "ChallengeBench": ["CAllocationCount", "Challenges", "Secrets", "Turns", .argumentParser, .crypto, .cryptoExtras],
    "KeychainBench": ["CertificateTrust", "Challenges", "Keychains", "KeychainAgents", "Secrets", .argumentParser],
    "AuthorityBench": [
        "AuthorityStore", "CertificateAuthorities", "CertificateTrust", "Identities", .argumentParser, .x509,
    ],
    "MixedLoad": [
        "CertificateAuthorities", "ChallengeLab", "TrustRecipes", .client, .nio, .argumentParser, .asn1, .httpTypes,
        .nioHPACK, .nioHTTP2, .nioSSL, .x509,
    ],
    "Load": ["CAllocationCount", .argumentParser, .nioCore],
    "SessionBench": ["CertificateTrust", "Countersign", "Identities", "Load", .argumentParser, .httpTypes, .nioCore],
    "TLSBench": ["TLSTransport", "Turns", .argumentParser, .nio, .nioSSL],
    "SOAPBench": ["ChallengeLab", "Countersign", "SOAPClients", "Turns", .argumentParser, .nioCore],
    "WebBench": [.hummingbird, .logging],
]

let fuzzers: Targets = [
    "CertificateFuzz": ["CertificateTrust", "TrustRecipes", .asn1, .x509],
    "ChainFuzz": ["CertificateTrust", "TrustRecipes", .asn1, .crypto, .x509],
    "ChallengeFuzz": ["Challenges", "Secrets"],
    "ContentDecoderFuzz": ["Countersign", .nioCore],
    "CookieFuzz": ["CertificateTrust", "Countersign", "Secrets"],
    "DescriptionFuzz": ["WSDLCompiler"],
    "EncryptionFuzz": ["XMLEncryption"],
    "EnvelopeFuzz": ["SOAPClients", .nioCore],
    "HTTP2Fuzz": ["HTTPTransport", .httpTypes, .nioCore],
    "HostNameFuzz": ["CertificateTrust", .x509],
    "IdentityFuzz": ["Identities", "Secrets", "TrustRecipes", .crypto, .x509],
    "KeychainFuzz": ["Keychains", "KeychainAgents", "Secrets"],
    "ListFuzz": ["CertificateTrust", "TrustRecipes", .asn1, .crypto, .x509],
    "NTLMFuzz": ["Challenges", "Secrets"],
    "NetrcFuzz": ["CertificateTrust", "Challenges", "Secrets"],
    "PolicyFileFuzz": ["CertificateTrust", "PolicyFiles", "TrustRecipes", .x509],
    "ResponseFuzz": ["CertificateTrust", "TrustRecipes", .crypto, .x509],
    "SCRAMFuzz": ["Challenges", "Secrets"],
    "SecurityFuzz": ["Secrets", "WSSecurity"],
    "SignatureFuzz": ["XMLSignature"],
    "TLSFuzz": ["Identities", "Secrets", "TLSRecipes", "TLSTransport", "TrustRecipes", .crypto, .nioCore],
    "TransparencyFuzz": ["CertificateTrust", "TrustRecipes", .crypto, .x509],
    "ValueFuzz": ["XMLDocuments", "XMLValues"],
]

/// The targets that every other Swift target uses; each may use the previous ones.
let ground = ["POSIX", "EssentialFoundation", "ErrorExplanations", "Encodings"]

/// Creates the targets of areas, each in the folder with its name; tests depend on the target with their name.
func targets(_ areas: KeyValuePairs<String, Targets>) -> [Target] {
    areas.flatMap { area in
        area.value.map { name, dependencies in
            let isC = name.hasPrefix("C") && name.dropFirst().first?.isUppercase == true
            let below = isC ? [] : ground.prefix { $0 != name }.map { Target.Dependency.target(name: $0) }
            let (path, list) = ("\(area.key)/\(name)", below + dependencies.flatMap(\.list))
            let tested = [name.dropLast(5)].map(String.init).filter { !ground.contains($0) }
                .map { Target.Dependency.target(name: $0) }
            return switch name {
            case "InteropTests": .testTarget(name: name, dependencies: list, path: path, plugins: ["WSDLPlugin"])
            case _ where name.hasSuffix("Tests"):
                .testTarget(name: name, dependencies: ["ErrorChecks"] + tested + list, path: path)
            case "CurlReplay", "MixedLoad", "WSDLGenerator",
                _ where ["Command", "Harness", "Bench", "Fuzz"].contains(where: name.hasSuffix):
                .executableTarget(
                    name: name, dependencies: list + (name.hasSuffix("Fuzz") ? ["FuzzDriver"] : []), path: path)
            default: .target(name: name, dependencies: list, path: path)
            }
        }
    }
}

func systemLibrary(_ path: String, pkgConfig: String? = nil, apt: String? = nil, brew: String? = nil) -> Target {
    .systemLibrary(
        name: String(path.split(separator: "/").last ?? ""), path: path, pkgConfig: pkgConfig,
        providers: (apt.map { [.apt([$0])] } ?? []) + (brew.map { [.brew([$0])] } ?? []))
}

#if os(macOS)
    let openSSLPackage: String? = "openssl"
#else
    // pkg-config's libraries would be linked, and COpenSSLShim loads them.
    let openSSLPackage: String? = nil
#endif

/// Each library has the name of its target.
let libraries = [
    "ErrorExplanations", "ServerConnections", "CertificateTrust", "Identities", "CertificateTrustNIOSSL", "Challenges",
    "Countersign", "Negotiate", "PolicyFiles", "HTTPClientShape", "CountersignURLProtocol", "Keychains",
    "KeychainAgents", "PasswordComposer",
    "CertificateAuthorities", "ACME", "ACMEClients", "ACMEServers", "XMLDocuments", "XMLValues", "XMLSignature",
    "XMLEncryption", "WSSecurity", "SOAPClients", "ChallengeLab", "ChallengeLabTesting",
]

let package = Package(
    name: "countersign",
    platforms: [.macOS(.v15)],
    products: libraries.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "countersign", targets: ["CountersignCommand"]),
        .executable(name: "countersign-keychain", targets: ["KeychainCommand"]),
        .executable(name: "countersign-ca", targets: ["AuthorityCommand"]),
        .executable(name: "countersign-ca-serve", targets: ["AuthorityServerCommand"]),
        .executable(name: "countersign-soap", targets: ["SOAPCommand"]),
        .executable(name: "countersign-web", targets: ["WebCommand"]),
        .plugin(name: "WSDLPlugin", targets: ["WSDLPlugin"]),
    ],
    traits: [
        .default(enabledTraits: defaultTraits),
        // A product that needs a package which a client does not need has a trait with the product's name, which a
        // build in a clone enables through Programs. SwiftPM resolves the package only with this trait, because every
        // dependency on the package names it (`trait:` in `Dependencies`). A file Trait.swift in the product's target
        // reports a missing trait.
        .trait(name: "ChallengeLab", description: "The product ChallengeLab, with swift-nio-extras."),
        .trait(name: "Keychains", description: "The product Keychains, with GRDB."),
        .trait(
            name: "Programs", description: "The programs, with ArgumentParser, Hummingbird, Mustache and others.",
            enabledTraits: ["ChallengeLab", "Keychains"]),
        .trait(
            name: "Brotli",
            description: "The content coding br, by the system's libbrotlidec; it needs brotli's development files."),
        .trait(
            name: "Zstd",
            description: "The content coding zstd, by the system's libzstd; it needs zstd's development files."),
        .trait(
            name: "OpenSSL",
            description: "TLS by the system's OpenSSL 3.0.2 or later, if chosen; it needs OpenSSL's development files."),
        .trait(
            name: "PostgreSQL",
            description: "The state of an authority in PostgreSQL, by libpq; it needs libpq's development files."),
        .trait(
            name: "Negotiate",
            description: "Kerberos by the system's GSSAPI; on Linux it needs MIT's development files."),
        .trait(
            name: "ServiceLifecycleSupport",
            description: "A session as a service of swift-service-lifecycle."),
        .trait(
            name: "ConfigurationSupport",
            description: "The settings of a session from swift-configuration."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.1.0"),
        // Without its traits, it needs no other package than swift-collections and swift-system.
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.98.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.38.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
    ],
    targets: targets(sources) + [
        systemLibrary("Sources/Client/CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
        systemLibrary("Sources/Client/CGSSAPI"),
        systemLibrary("Sources/Client/CBrotli", apt: "libbrotli-dev", brew: "brotli"),
        systemLibrary("Sources/Client/COpenSSL", pkgConfig: openSSLPackage, apt: "libssl-dev", brew: "openssl@3"),
        systemLibrary("Sources/Client/CZlib", apt: "zlib1g-dev"),
        systemLibrary("Sources/Client/CZstd", apt: "libzstd-dev", brew: "zstd"),
        systemLibrary("Sources/Authority/CPostgreSQL", apt: "libpq-dev", brew: "libpq"),
        systemLibrary("Sources/SOAP/CXML2", pkgConfig: "libxml-2.0", apt: "libxml2-dev", brew: "libxml2"),
        .plugin(name: "WSDLPlugin", capability: .buildTool(), dependencies: ["WSDLGenerator"]),
    ]
)

// A package that depends on this one needs neither the tests nor their helpers.
if !isDependency {
    package.targets += targets(tests)
}
// The project's scripts set this variable for measurements.
if Context.environment["COUNTERSIGN_BENCHMARKS"] != nil {
    package.targets += targets(["Benchmarks": benchmarks])
}
// libFuzzer is linked only in builds by scripts/check/fuzz.
if Context.environment["COUNTERSIGN_FUZZ"] != nil {
    package.targets +=
        targets(["Fuzz": fuzzers]) + [
            systemLibrary("Fuzz/CLibFuzzer"),
            .target(name: "FuzzDriver", dependencies: ["CLibFuzzer", "TrustRecipes"], path: "Fuzz/FuzzDriver"),
            // This target builds all fuzz targets.
            .target(
                name: "FuzzTargets", dependencies: fuzzers.map { .init(stringLiteral: $0.key) },
                path: "Fuzz/FuzzTargets"),
        ]
}

for target in package.targets where target.type != .system && target.type != .plugin {
    switch target.name {
    case "Negotiate":
        target.linkerSettings = [
            .linkedLibrary("gssapi_krb5", .when(platforms: [.linux], traits: ["Negotiate"])),
            .linkedFramework("GSS", .when(platforms: [.macOS], traits: ["Negotiate"])),
        ]
    case "COpenSSLShim":
        target.cSettings = [.define("COUNTERSIGN_OPENSSL", .when(traits: ["OpenSSL"]))]
        target.linkerSettings = ["ssl", "crypto"].map {
            .linkedLibrary($0, .when(platforms: [.macOS], traits: ["OpenSSL"]))
        }
    case "WebApp": target.resources = [.embedInCode("Files"), .embedInCode("Templates")]
    case "ComposerPage":
        target.exclude = ["Wasm", "icon-maskable.svg"]
        target.sources = ["ComposerPage.swift"]
        target.resources = [
            "index.html", "composer.css", "composer.js", "composer-worker.js", "composer.wasm", "service-worker.js",
            "manifest.webmanifest", "icon.svg", "icon-192.png", "icon-512.png", "icon-maskable-512.png",
        ].map { .embedInCode($0) }
    case "CountersignTests":
        target.linkerSettings = [
            .linkedLibrary("brotlienc", .when(platforms: [.linux, .macOS], traits: ["Brotli"]))
        ]
    case "CertificateTrustTests": target.exclude = ["Algorithms/vectors.tsv"]
    case "ChallengesTests": target.exclude = ["challenge-heads.tsv"]
    case "CountersignCommandTests":
        target.exclude = ["Transcripts/Cases", "Transcripts/README.md", "curl-7.88.1-options.txt"]
    default: break
    }
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    // A request passes through many asynchronous functions, each of which would switch to its executor.
    if ["Countersign", "HTTPTransport"].contains(target.name) {
        target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    }
}
