// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Returns products of countersign.
///
/// A program outside this repository depends on it by the URL of its Git repository, as the package Examples does.
func countersign(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "countersign") }
}

let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let nio: [Target.Dependency] = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let trust = countersign("CertificateTrust", "CertificateTrustNIOSSL", "Identities") + [x509]
let gRPC: [Target.Dependency] = [
    .product(name: "GRPCCore", package: "grpc-swift-2"),
    .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
]
let hummingbird: [Target.Dependency] = ["Hummingbird", "HummingbirdCore", "HummingbirdTLS"]
    .map { .product(name: $0, package: "hummingbird") }

// CI builds this package in the folder of countersign, with the traits that are enabled there by this variable.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["COUNTERSIGN_TRAITS"] == nil
    ? [.defaults, "ConfigurationSupport", "ServiceLifecycleSupport"] : [.defaults]

let package = Package(
    name: "other-packages",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "countersign", path: "../..", traits: traits),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.98.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2.git", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport.git", from: "2.9.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
        .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    ],
    targets: [
        .executableTarget(name: "GRPCGreeting", dependencies: trust + gRPC),
        .executableTarget(name: "HummingbirdGreeting", dependencies: trust + hummingbird + nio + [nioSSL]),
        .executableTarget(
            name: "LabClients",
            dependencies: countersign("ChallengeLab") + [
                nioSSL, .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]),
        // It depends on all libraries except HTTPClientShape, which has AsyncHTTPClient's names to replace that import.
        .executableTarget(
            name: "SideBySide",
            dependencies: trust + gRPC + hummingbird + nio + [nioSSL]
                + countersign(
                    "ACME", "ACMEClients", "ACMEServers", "CertificateAuthorities", "ChallengeLab",
                    "ChallengeLabTesting", "Challenges", "Countersign", "CountersignURLProtocol", "ErrorExplanations",
                    "KeychainAgents", "Keychains", "Negotiate", "PasswordComposer", "PolicyFiles", "SOAPClients",
                    "ServerConnections", "WSSecurity", "XMLDocuments", "XMLEncryption", "XMLSignature", "XMLValues")
                + [
                    .product(name: "AsyncHTTPClient", package: "async-http-client"),
                    .product(name: "Configuration", package: "swift-configuration"),
                    .product(name: "Crypto", package: "swift-crypto"),
                    .product(name: "FlyingFox", package: "FlyingFox"),
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                    .product(name: "JWTKit", package: "jwt-kit"),
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "Metrics", package: "swift-metrics"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                    .product(name: "Tracing", package: "swift-distributed-tracing"),
                ]),
    ]
)
