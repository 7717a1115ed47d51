// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EthernetTunnel
import NearbyProgram

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command `countersign tunnel static`, which connects to another WireGuard implementation with static keys.
struct StaticCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "static",
        abstract: "Join segments with another WireGuard implementation, using static keys.",
        discussion: """
            There are no certificates, and keys are neither replaced nor revoked: the holder of the private key is the peer. EtherIP is carried in IP packets of \
            protocol 97 within WireGuard, as in OpenBSD's etherip(4) over wg(4).

            Example: countersign tunnel static --peer 192.0.2.1:51820 --private-key my.key --peer-key 'BASE64' \
            --inner-local 10.9.0.1 --inner-remote 10.9.0.2 --bridge br0 --interface eth1
            """)

    @Option(
        help: ArgumentHelp("The peer's address and UDP port; by default, the peer connects.", valueName: "host:port"))
    var peer: PeerAddress?

    @Option(help: ArgumentHelp("A file with this side's private key, as printed by wg genkey.", valueName: "file"))
    var privateKey: String

    @Option(help: ArgumentHelp("The peer's public key.", valueName: "base64"))
    var peerKey: String

    @Option(help: ArgumentHelp("A file with a preshared key, as printed by wg genpsk.", valueName: "file"))
    var presharedKey: String?

    @Option(help: ArgumentHelp("This side's address within WireGuard.", valueName: "address"))
    var innerLocal: String

    @Option(help: ArgumentHelp("The peer's address within WireGuard.", valueName: "address"))
    var innerRemote: String

    @Option(
        help: ArgumentHelp(
            "The maximum IP packet within WireGuard, which is the MTU of the peer's wg interface.", valueName: "bytes"))
    var innerMTU = 1_420

    @Option(help: ArgumentHelp("This side's UDP port; 0 lets the system choose.", valueName: "number"))
    var port: UInt16 = 0

    @OptionGroup var segment: SegmentOptions

    func validate() throws {
        if let peer, peer.port == nil { throw ValidationError("--peer must be host:port, or [address]:port for IPv6.") }
    }

    func run() throws {
        #if os(Linux)
            let settings = try StaticKeyTunnel.Settings(
                privateKey: try Self.key(privateKey), peerKey: peerKey, presharedKey: try presharedKey.map(Self.key),
                innerLocal: innerLocal, innerRemote: innerRemote)
            var options = segment.options
            options.payloadLimit = innerMTU
            let tunnel = try StaticKeyTunnel(
                to: peer?.host, port: peer?.port ?? 0, localPort: port, settings: settings,
                segment: segment.segment, options: options)
            try TunnelRun.run(segment) { try await tunnel.run($0) }
        #else
            throw TunnelError.unsupportedSystem
        #endif
    }

    private static func key(_ path: String) throws -> String {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else { throw FileProblem.unreadable(path) }
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        return String(String(decoding: bytes, as: UTF8.self).filter { !isSpace($0) })
    }
}
