// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that nobody who builds Countersign fetches what it is measured beside; and one for all, so
// that they are built with the same SwiftNIO, the same way.
// AsyncHTTPClient with all that it needs is fetched and built only where it is measured.
let withPeers = (Context.environment["WITHOUT_PEERS"] ?? "").isEmpty

let package = Package(
    name: "peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "countersign", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
    ],
    targets: [
        .executableTarget(
            name: "SessionBench",
            dependencies: [
                "Load",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CertificateTrust", package: "countersign"),
                .product(name: "Countersign", package: "countersign"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Identities", package: "countersign"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .target(
            name: "Load",
            dependencies: [
                "CAllocationCount",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // A link to the folder of the target of the package above.
        .target(name: "CAllocationCount"),
    ]
)

if withPeers {
    package.dependencies.append(
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"))
    package.targets.append(
        .executableTarget(
            name: "AsyncHTTPClientBench",
            dependencies: [
                "Load",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ))
}

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
