// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Identities
import NIOCore
import SwiftASN1
public import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Local servers, each presenting one challenge or one fault, with a certificate authority made at start.
public struct Lab: Sendable {
    /// Whom the lab's servers and proxies let in.
    public static let credentials = LabServer.Credentials.lab

    /// What the lab's Bearer server lets in.
    public static let token = LabServer.labToken

    /// In the order of ``LabServer/Kind``.
    public let servers: [LabServer]
    /// The root of the lab's authority: the anchor that makes the good servers trusted.
    public let authority: Certificate
    /// What the servers that ask for a client certificate accept.
    public let clientIdentity: Identity

    private let listeners: [LabServer.Kind: LabListener]

    /// Starts every server on 127.0.0.1, each on a port that the system chooses.
    ///
    /// - Parameter now: The instant around which certificates are made.
    /// - Returns: The lab, every server of it listening.
    /// - Throws: What binding a socket or making a certificate throws; nothing is left running then.
    public static func start(now: Date = Date()) async throws -> Lab {
        let credentials = try LabCertificates(now: now)
        var listeners: [LabServer.Kind: LabListener] = [:]
        do {
            for kind in LabServer.Kind.allCases {
                listeners[kind] = try await LabListener.start(kind, certificates: credentials)
            }
        } catch {
            for listener in listeners.values { await listener.stop() }
            throw error
        }
        return Lab(certificates: credentials, listeners: listeners)
    }

    private init(certificates: LabCertificates, listeners: [LabServer.Kind: LabListener]) {
        self.listeners = listeners
        authority = certificates.root
        clientIdentity = certificates.client
        servers = LabServer.Kind.allCases.compactMap { kind in
            listeners[kind].map { LabServer(kind: kind, port: $0.port) }
        }
    }

    /// The server of a kind; a lab has one of each.
    public subscript(kind: LabServer.Kind) -> LabServer {
        LabServer(kind: kind, port: listeners[kind]?.port ?? 0)
    }

    /// How many requests a server has received, challenged ones included.
    public func requestCount(_ kind: LabServer.Kind) -> Int { listeners[kind]?.requestCount ?? 0 }

    /// How many connections a server has accepted.
    package func connectionCount(_ kind: LabServer.Kind) -> Int { listeners[kind]?.connectionCount ?? 0 }

    /// How many connections a server has open now.
    package func openConnectionCount(_ kind: LabServer.Kind) -> Int { listeners[kind]?.openConnectionCount ?? 0 }

    /// What an open connection to any server of the lab has received, by the port of its client.
    package func receipt(fromClientPort port: Int) -> ConnectionReceipt? {
        listeners.values.lazy.compactMap { $0.receipt(fromClientPort: port) }.first
    }

    /// Closes every listener and every connection, and returns when they are closed.
    public func stop() async throws {
        for listener in listeners.values { await listener.stop() }
    }

    /// Writes the authority and the client identity as PEM, for other clients to use; keys are readable by their owner only.
    ///
    /// - Parameter directory: Made if it is not there.
    /// - Returns: The paths written.
    /// - Throws: ``LabError/cannotWrite(_:code:)``.
    public func writeFiles(to directory: String) throws -> [String] {
        let folder = URL(filePath: directory, directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch let error as CocoaError {
            let cause = error.userInfo["NSUnderlyingError"] as? POSIXError
            throw LabError.cannotWrite(directory, code: cause?.code.rawValue ?? EIO)
        }
        let chain = try clientIdentity.pemEncodedChain
        let key = try clientIdentity.pemEncodedPrivateKey
        let files: [(String, [UInt8], mode_t)] = [
            ("ca.pem", Array(try authority.serializeAsPEM().pemString.utf8 + [0x0A]), 0o644),
            ("client.pem", chain + key, 0o600),
            ("client-certificate.pem", chain, 0o644),
            ("client-key.pem", key, 0o600),
        ]
        return try files.map { name, contents, mode in
            let path = folder.appending(path: name).path
            try LabFile.write(contents, to: path, mode: mode)
            return path
        }
    }
}
