// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

extension Target.Dependency {
    /// The system's dns_sd library, which only a build with the trait requires.
    static let dnsServiceDiscovery = target(
        name: "CDNSServiceDiscovery", condition: .when(platforms: [.linux], traits: ["DNSServiceDiscovery"]))
}

let package = Package(
    name: "nearby",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "NibArchive", targets: ["NibArchive"]),
        .library(name: "ReverseZones", targets: ["ReverseZones", "ReverseChecks"]),
        .executable(name: "countersign-nib", targets: ["NibCommand"]),
        .library(name: "ServiceDiscovery", targets: ["ServiceDiscovery"]),
        .executable(name: "countersign-discover", targets: ["DiscoverCommand"]),
        .library(name: "EthernetTunnel", targets: ["EthernetTunnel"]),
        .executable(name: "countersign-reverse", targets: ["ReverseCommand"]),
        .executable(name: "countersign-tunnel", targets: ["TunnelCommand"]),
    ],
    traits: [
        .default(enabledTraits: Context.environment["COUNTERSIGN_DNSSD"] == nil ? [] : ["DNSServiceDiscovery"]),
        .trait(
            name: "DNSServiceDiscovery",
            description: "Service discovery with dns_sd on Linux; it needs the development files of Avahi's dns_sd."),
    ],
    dependencies: [
        .package(name: "countersign", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.98.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.3.0"),
        // The next minor version could contain a different BoringSSL, whose functions CBoringSSLAEAD calls.
        .package(url: "https://github.com/apple/swift-crypto.git", .upToNextMinor(from: "4.5.2")),
    ],
    targets: [
        .target(
            name: "DNSNames", dependencies: [.product(name: "ErrorExplanations", package: "countersign")]),
        .target(
            name: "ReverseZones",
            dependencies: [
                "DNSMessages", "DNSNames", .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .target(name: "ReverseChecks", dependencies: ["DNSClient", "DNSMessages", "DNSNames", "ReverseZones"]),
        .target(
            name: "DNSMessages",
            dependencies: ["DNSNames", .product(name: "ErrorExplanations", package: "countersign")]),
        .target(
            name: "DNSClient",
            dependencies: [
                "DNSMessages", "DNSNames", .product(name: "ErrorExplanations", package: "countersign"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .target(
            name: "NibArchive", dependencies: [.product(name: "ErrorExplanations", package: "countersign")]),
        .executableTarget(
            name: "NibCommand",
            dependencies: [
                "NearbyProgram", "NibArchive", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .target(
            name: "NearbyProgram",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .executableTarget(
            name: "ReverseCommand",
            dependencies: [
                "DNSClient", "DNSMessages", "DNSNames", "NearbyProgram", "ReverseChecks", "ReverseZones",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .target(
            name: "MulticastDNS",
            dependencies: ["DNSMessages", "DNSNames", .product(name: "HeapModule", package: "swift-collections")]),
        .systemLibrary(name: "CDNSServiceDiscovery"),
        .target(
            name: "ServiceDiscovery",
            dependencies: [
                .dnsServiceDiscovery, "DNSMessages", "DNSNames", "MulticastDNS",
                .product(name: "ErrorExplanations", package: "countersign"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "DiscoverCommand",
            dependencies: [
                "DNSNames", "NearbyProgram", "ServiceDiscovery",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .testTarget(
            name: "ServiceDiscoveryTests",
            dependencies: ["DiscoverCommand", "DNSMessages", "DNSNames", "MulticastDNS", "ServiceDiscovery"]),
        .target(name: "CBoringSSLAEAD"),
        .target(
            name: "WireGuardProtocol",
            dependencies: [
                "CBoringSSLAEAD", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .executableTarget(
            name: "WireGuardBench",
            dependencies: ["WireGuardProtocol", .product(name: "Crypto", package: "swift-crypto")],
            path: "Benchmarks/WireGuardBench"),
        .testTarget(
            name: "WireGuardProtocolTests",
            dependencies: ["WireGuardProtocol", .product(name: "Crypto", package: "swift-crypto")]),
        .target(name: "CTunnel"),
        .target(
            name: "EthernetTunnel",
            dependencies: [
                "CTunnel", "WireGuardProtocol", .product(name: "CertificateTrust", package: "countersign"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ErrorExplanations", package: "countersign"),
                .product(name: "Identities", package: "countersign"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServerConnections", package: "countersign"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        .executableTarget(
            name: "TunnelCommand",
            dependencies: [
                "EthernetTunnel", "NearbyProgram", "WireGuardProtocol",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CertificateTrust", package: "countersign"),
                .product(name: "ErrorExplanations", package: "countersign"),
                .product(name: "Identities", package: "countersign"),
            ]),
        .testTarget(
            name: "EthernetTunnelTests",
            dependencies: [
                "EthernetTunnel", "TunnelCommand", "WireGuardProtocol",
                .product(name: "CertificateAuthorities", package: "countersign"),
                .product(name: "CertificateTrust", package: "countersign"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Identities", package: "countersign"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            exclude: ["Tools"]),
        .testTarget(
            name: "NearbyErrorTests",
            dependencies: [
                "DiscoverCommand", "NearbyProgram", "NibCommand", "ReverseCommand", "TunnelCommand",
                .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .testTarget(name: "DNSNamesTests", dependencies: ["DNSNames"]),
        .testTarget(name: "DNSMessagesTests", dependencies: ["DNSMessages", "DNSNames"]),
        .executableTarget(name: "NibBench", dependencies: ["NibArchive"], path: "Benchmarks/NibBench"),
        .testTarget(name: "NibArchiveTests", dependencies: ["NibArchive"]),
        .testTarget(
            name: "NibDownloadTests",
            dependencies: [
                "NibArchive", .product(name: "CertificateAuthorities", package: "countersign"),
                .product(name: "CertificateTrust", package: "countersign"),
                .product(name: "Countersign", package: "countersign"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Identities", package: "countersign"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        .testTarget(
            name: "ReverseZonesTests",
            dependencies: [
                "DNSMessages", "DNSNames", "ReverseZones", .product(name: "ErrorExplanations", package: "countersign"),
            ]),
        .testTarget(
            name: "DNSClientTests",
            dependencies: [
                "DNSClient", "DNSMessages", "DNSNames", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "ReverseNetworkTests",
            dependencies: ["DNSMessages", "DNSNames", "ReverseCommand", "ReverseZones"]),
    ]
)

/// The areas in order, with their targets and tests.
let areas: KeyValuePairs = [
    "Base": ["NearbyProgram", "NearbyErrorTests"],
    "DNS": ["DNSNames", "DNSMessages", "DNSClient", "DNSNamesTests", "DNSMessagesTests", "DNSClientTests"],
    "Discovery": [
        "MulticastDNS", "ServiceDiscovery", "CDNSServiceDiscovery", "DiscoverCommand", "ServiceDiscoveryTests",
    ],
    "Reverse": ["ReverseZones", "ReverseChecks", "ReverseCommand", "ReverseZonesTests", "ReverseNetworkTests"],
    "Tunnel": [
        "WireGuardProtocol", "CBoringSSLAEAD", "EthernetTunnel", "TunnelCommand", "CTunnel", "WireGuardProtocolTests",
        "EthernetTunnelTests",
    ],
    "Nib": ["NibArchive", "NibCommand", "NibArchiveTests", "NibDownloadTests"],
]

for target in package.targets where target.path == nil {
    let area = areas.first { $0.value.contains(target.name) }
    target.path = "\(target.type == .test ? "Tests" : "Sources")/\(area?.key ?? "")/\(target.name)"
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
