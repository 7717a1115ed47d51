// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A program outside this repository depends on countersign by the URL of its Git repository, as the package Examples does.
let trust: [Target.Dependency] = [
    .product(name: "CertificateTrust", package: "countersign"),
    .product(name: "CertificateTrustNIOSSL", package: "countersign"),
    .product(name: "Identities", package: "countersign"),
    .product(name: "X509", package: "swift-certificates"),
]

let package = Package(
    name: "peer-verification",
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
        .executableTarget(
            name: "GRPCGreeting",
            dependencies: trust + [
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
            ]),
        .executableTarget(
            name: "HummingbirdGreeting",
            dependencies: trust + [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
    ]
)
