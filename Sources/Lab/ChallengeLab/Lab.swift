// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
public import EssentialFoundation
public import Identities
import NIOCore
import POSIX
import PrivateFiles
import SwiftASN1
public import X509

/// A set of local servers, each with a challenge or a fault, and a certificate authority that is created at start.
public struct Lab: Sendable {
    /// The user name and the password that the lab's servers and proxies accept.
    public static let credentials = LabServer.Credentials.lab

    /// The token that the lab's Bearer server accepts.
    public static let token = LabCredentials.token

    /// The range to request from ``LabServer/Kind/range``, as in a Range field after `bytes=` (RFC 9110 section
    /// 14.1.2).
    public static let range = LabServer.Kind.requestedRange

    /// The servers, in the order of ``LabServer/Kind``.
    public let servers: [LabServer]
    /// The root certificate of the lab's authority.
    ///
    /// Clients that trust it as an anchor trust the servers without a fault.
    public let authority: Certificate
    /// The client identity that the servers with client authentication accept.
    public let clientIdentity: Identity

    /// The root certificate of the lab's authority in PEM, for clients with another type for certificates.
    ///
    /// The getter throws the error of swift-asn1 if the certificate cannot be encoded.
    public var pemEncodedAuthority: [UInt8] {
        get throws { Array(try authority.serializeAsPEM().pemString.utf8 + [0x0A]) }
    }

    /// The list of the lab's two Certificate Transparency logs, in version 3 of the schema of Google's `log_list.json`.
    public let logList: [UInt8]

    /// The certificate of the servers without a fault.
    private let goodCertificate: Certificate
    private let listeners: [LabServer.Kind: LabListener]
    private let networkHost: String?
    private let publication: LabPublication
    private let publisher: LabListener

    /// Starts servers on 127.0.0.1, each on a port that the system chooses.
    ///
    /// The servers run until ``stop()`` is called; ``withServers(_:now:isolation:_:)`` stops them also after an error.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of server; all by default.
    ///   - now: The time relative to which certificates are valid, expired or not yet valid.
    /// - Returns: The lab with all servers listening.
    /// - Throws: ``LabError/cannotListen(_:code:)``, ``LabError/noPort``, and errors of swift-certificates and
    ///   swift-nio-ssl for a certificate that cannot be created or used. In this case, all servers are stopped.
    public static func start(
        _ kinds: Set<LabServer.Kind> = Set(LabServer.Kind.allCases), now: Date = Date()
    ) async throws -> Lab {
        try await start(kinds, reachedAt: .loopback, now: now)
    }

    /// Starts servers on 127.0.0.1, calls a closure with them, and stops them afterwards.
    ///
    /// The servers are stopped when the closure returns, throws an error, or ends because its task is cancelled.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of server; all by default.
    ///   - now: The time relative to which certificates are valid, expired or not yet valid.
    ///   - isolation: The actor on which the closure is called; the caller's by default.
    ///   - body: The closure, which gets the lab with all servers listening.
    /// - Returns: The closure's value.
    /// - Throws: The errors of ``start(_:now:)``, and the error of the closure.
    public static func withServers<Value>(
        _ kinds: Set<LabServer.Kind> = Set(LabServer.Kind.allCases), now: Date = Date(),
        isolation: isolated (any Actor)? = #isolation, _ body: (Lab) async throws -> Value
    ) async throws -> Value {
        let lab = try await start(kinds, now: now)
        do {
            let value = try await body(lab)
            try await lab.stop()
            return value
        } catch {
            try await lab.stop()
            throw error
        }
    }

    /// Starts servers that other computers can reach.
    ///
    /// The proxies stay on 127.0.0.1, so that the lab is not an open relay.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of server; all by default.
    ///   - reach: The address on which they listen.
    ///   - now: The time relative to which certificates are valid, expired or not yet valid.
    /// - Returns: The lab with all servers listening.
    /// - Throws: ``LabError/cannotListen(_:code:)``, and the errors of creating a certificate. In this case, all
    ///   servers are stopped.
    package static func start(
        _ kinds: Set<LabServer.Kind> = Set(LabServer.Kind.allCases), reachedAt reach: LabReach, now: Date = Date()
    ) async throws -> Lab {
        let (publication, directory) = (LabPublication(), LabDirectory(names: reach.names))
        let certificates = try LabCertificates(now: now, publication: publication, reach: reach)
        let publisher = try await LabListener.start(serving: publication, on: reach.address)
        publication.open(at: publisher.port, of: reach.publicHost)
        let results = await results(of: kinds) {
            try await LabListener.start($0, certificates: certificates, directory: directory)
        }
        do {
            let listeners = try results.mapValues { try $0.get() }
            if kinds.contains(where: { $0.group == .revocation }) { try certificates.publishRootList() }
            let lab = Lab(certificates: certificates, listeners: listeners, publisher: publisher)
            directory.fill(with: lab.servers)
            return lab
        } catch {
            for result in results.values { await (try? result.get())?.stop() }
            await publisher.stop()
            throw error
        }
    }

    /// A started server, or the error of a failed start.
    private struct Start {
        let kind: LabServer.Kind
        let result: Result<LabListener, any Error>
    }

    /// Starts all servers concurrently, and returns when each has started or failed.
    private static func results(
        of kinds: Set<LabServer.Kind>, _ start: @escaping @Sendable (LabServer.Kind) async throws -> LabListener
    ) async -> [LabServer.Kind: Result<LabListener, any Error>] {
        await withTaskGroup(of: Start.self) { group in
            for kind in kinds {
                group.addTask {
                    do {
                        return Start(kind: kind, result: .success(try await start(kind)))
                    } catch {
                        return Start(kind: kind, result: .failure(error))
                    }
                }
            }
            var results: [LabServer.Kind: Result<LabListener, any Error>] = [:]
            // A loop avoids reduce, which Swift 6.3 optimizes into code that reads wrong keys.
            for await one in group { results[one.kind] = one.result }
            return results
        }
    }

    private init(certificates: LabCertificates, listeners: [LabServer.Kind: LabListener], publisher: LabListener) {
        (self.listeners, self.publisher) = (listeners, publisher)
        publication = certificates.publication
        networkHost = certificates.reach.host
        authority = certificates.root.certificate
        clientIdentity = certificates.client
        logList = certificates.logList
        goodCertificate = certificates.good.certificate
        servers = LabServer.Kind.allCases.compactMap { kind in
            listeners[kind].map { LabServer(kind: kind, port: $0.port, networkHost: certificates.reach.host) }
        }
    }

    /// Returns the server of a kind.
    ///
    /// - Precondition: The lab was started with this kind.
    public subscript(kind: LabServer.Kind) -> LabServer {
        guard let listener = listeners[kind] else {
            preconditionFailure(
                "The lab was started without the server \"\(kind.rawValue)\". Add its kind to the set for Lab.start, "
                    + "Lab.withServers or the trait .lab.")
        }
        return LabServer(kind: kind, port: listener.port, networkHost: networkHost)
    }

    /// Returns the URL to request from a server of a kind; for a proxy, the proxy's URL.
    ///
    /// - Precondition: The lab was started with this kind.
    public func url(_ kind: LabServer.Kind) -> String { self[kind].url }

    /// The pin that clients must require for the servers of ``LabServer/Group/pins``.
    ///
    /// It is the base64-encoded SHA-256 hash of the SubjectPublicKeyInfo in the certificate of the servers without a
    /// fault (RFC 7469 section 2.4).
    ///
    /// The getter throws the error of swift-asn1 if the key cannot be encoded.
    public var pin: String {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(goodCertificate.publicKey)
            return Data(SHA256.hash(data: serializer.serializedBytes)).base64EncodedString()
        }
    }

    /// Returns the number of requests that a server has received, including unauthenticated ones; 0 for a kind that was
    /// not started.
    public func requestCount(_ kind: LabServer.Kind) -> Int { listeners[kind]?.requestCount ?? 0 }

    /// Returns the number of connections that a server has accepted.
    package func connectionCount(_ kind: LabServer.Kind) -> Int { listeners[kind]?.connectionCount ?? 0 }

    /// Returns the number of open connections of a server.
    package func openConnectionCount(_ kind: LabServer.Kind) -> Int { listeners[kind]?.openConnectionCount ?? 0 }

    /// Returns the amount and time of the data received on an open connection to any server of the lab, by client port.
    package func receipt(fromClientPort port: Int) -> ConnectionReceipt? {
        listeners.values.lazy.compactMap { $0.receipt(fromClientPort: port) }.first
    }

    /// Stops all servers, and returns when every listener and connection is closed.
    ///
    /// - Throws: No error at present.
    public func stop() async throws {
        for listener in listeners.values { await listener.stop() }
        await publisher.stop()
    }

    /// Saves the authority, its revocation lists and the client identity as PEM files, and the log list, for other
    /// clients.
    ///
    /// Only the owner can read the key file. Existing files with the same names are replaced.
    ///
    /// - Parameter folder: The file URL of the folder, which is created with the permissions 0700 if it does not exist.
    /// - Returns: The file URLs of the files.
    /// - Throws: ``LabError/cannotWrite(_:code:)``, ``LabError/notAFile(url:)``, and `IdentityError` or the error of
    ///   swift-asn1 if a certificate cannot be encoded.
    @discardableResult
    public func save(to folder: URL) throws -> [URL] {
        let path = try PrivateFile<LabError>.path(of: folder)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch let error as CocoaError {
            let cause = error.userInfo["NSUnderlyingError"] as? POSIXError
            throw LabError.cannotWrite(path, code: cause?.code.rawValue ?? EIO)
        }
        let chain = try clientIdentity.pemEncodedChain
        let key = try clientIdentity.pemEncodedPrivateKey
        let files: [(String, [UInt8], UInt16)] =
            [
                ("ca.pem", try pemEncodedAuthority, 0o644),
                ("client.pem", chain + key, 0o600),
                ("client-certificate.pem", chain, 0o644),
                ("client-key.pem", key, 0o600),
                ("logs.json", logList, 0o644),
            ] + (publication.listsAsPEM.map { [("crl.pem", Array($0.utf8), 0o644)] } ?? [])
        return try files.map { name, contents, mode in
            let file = folder.appending(path: name, directoryHint: .notDirectory)
            try PrivateFile<LabError>.replace(file.path, with: contents, mode: mode)
            return file
        }
    }
}
