// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The URL of your Git server; scripts/check/examples replaces it with a clone of the current repository.
let url = Context.environment["COUNTERSIGN_URL"] ?? "https://git.example/countersign.git"

/// The programs, with the products that each of them uses.
let programs: KeyValuePairs = [
    "CheckExpiry": ["Countersign"],
    "Download": ["Countersign"],
    "FirstUse": ["Countersign"],
    "FollowEvents": ["Countersign"],
    "JSONAPI": ["Countersign"],
    "ManyPages": ["Countersign"],
    "Observability": ["Countersign", "Logging", "Metrics"],
    "Passwords": ["Countersign"],
    "PinnedKey": ["Countersign"],
    "PrivateAuthority": ["Countersign"],
    "SeveralServers": ["Countersign"],
    "SignIn": ["Countersign"],
    "SignedRequests": ["Countersign", "Crypto", "Logging"],
    "UnchangedURLSession": ["Countersign", "CountersignURLProtocol"],
    "Upload": ["Countersign"],
]

/// The packages of the products that are not Countersign's.
let packages = ["Crypto": "swift-crypto", "Logging": "swift-log", "Metrics": "swift-metrics"]

let package = Package(
    name: "examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: url, branch: "main"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    ],
    targets: programs.map { name, products in
        .executableTarget(
            name: name, dependencies: products.map { .product(name: $0, package: packages[$0] ?? "countersign") })
    }
)
