// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The URL of your Git server; scripts/check/examples replaces it with a clone of the current repository.
let url = Context.environment["COUNTERSIGN_URL"] ?? "https://git.example/countersign.git"

/// The programs, with the products that each of them uses.
let programs: KeyValuePairs = [
    "PrivateAuthority": ["Countersign"]
]

let package = Package(
    name: "examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: url, branch: "main")],
    targets: programs.map { name, products in
        .executableTarget(name: name, dependencies: products.map { .product(name: $0, package: "countersign") })
    }
)
