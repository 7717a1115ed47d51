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
let nio: [Target.Dependency] = [.product(name: "NIOCore", package: "swift-nio")]
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let trust = countersign("CertificateTrust", "CertificateTrustNIOSSL", "Identities") + [x509]
let gRPC: [Target.Dependency] = [
    .product(name: "GRPCCore", package: "grpc-swift-2"),
    .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
]
let hummingbird: [Target.Dependency] = ["Hummingbird", "HummingbirdCore", "HummingbirdTLS"]
    .map { .product(name: $0, package: "hummingbird") }

let package = Package(
    name: "other-packages",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "countersign", path: "../.."),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.98.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2.git", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport.git", from: "2.9.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
    ],
    targets: [
        .executableTarget(name: "GRPCGreeting", dependencies: trust + gRPC),
        .executableTarget(name: "HummingbirdGreeting", dependencies: trust + hummingbird + nio + [nioSSL]),
    ]
)
