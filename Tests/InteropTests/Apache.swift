// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOCore
import Testing
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The Apache httpd that `make interop` has started, as its file of values describes it.
struct Apache {
    /// A server of it, by its name in the file of values.
    enum Server: String {
        case plain
        case tls
        case tls12
        case tls13
        case client12
        case client13
        case proxyBasic
        case proxyDigest
        /// Each request with a ticket of its own.
        case kerberos
        /// A ticket for a whole connection.
        case kerberosBound
        case kerberosTLS
    }

    struct MissingValue: Error {
        let key: String
    }

    /// Where the values stand, or `nil` where no server was started.
    static let file = ProcessInfo.processInfo.environment["COUNTERSIGN_INTEROP"]

    private let values: [String: String]

    init() throws {
        guard let file = Self.file else { throw MissingValue(key: "COUNTERSIGN_INTEROP") }
        let text = String(decoding: try Self.read(file), as: UTF8.self)
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            guard let key = parts.first, let value = parts.dropFirst().first else { return nil }
            return (String(key), String(value))
        }
        values = Dictionary(pairs) { $1 }
    }

    func url(_ server: Server, _ path: String) throws -> String {
        try value(server.rawValue) + path
    }

    func authority() throws -> [Certificate] {
        try CertificateFile.certificates(in: try Self.read(try value("anchors")))
    }

    func identity() throws -> Identity {
        try Identity(pem: try Self.read(try value("identity")))
    }

    /// An identity whose issuer the server does not know.
    func stranger() throws -> Identity {
        try Identity(pem: try Self.read(try value("stranger")))
    }

    func password() throws -> Credential {
        .password(user: try value("user"), password: Secret(try value("password")))
    }

    func wrongPassword() throws -> Credential {
        .password(user: try value("user"), password: Secret("not it"))
    }

    /// How often a resource was asked for, whatever came of it.
    func requestCount(_ path: String) throws -> Int {
        let log = String(decoding: try Self.read(try value("log")), as: UTF8.self)
        return log.split(separator: "\n").count { $0.contains(" GET \(path) ") }
    }

    func value(_ key: String) throws -> String {
        guard let value = values[key] else { throw MissingValue(key: key) }
        return value
    }

    private static func read(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where `make interop` has not started a server.
    static var interop: Self {
        .enabled("no server was started: run make interop") { Apache.file != nil }
    }
}

extension Apache {
    /// A session that trusts the server's authority, for the length of a closure.
    func withSession(
        trust: TrustPolicy? = nil, handlers: ChallengeHandlers = [:], through proxy: Server? = nil,
        tlsVersions: Session.TLSVersions = .all, schemes: HTTPSchemes = [:], _ body: (Session) async throws -> Void
    ) async throws {
        var configuration = Session.Configuration(
            trust: try trust ?? TrustPolicy(anchors: .only(authority())), handlers: handlers,
            proxy: try proxy.map { try Proxy(url($0, "")) })
        configuration.tlsVersions = tlsVersions
        configuration.schemes = schemes
        let session = Session(configuration)
        do {
            try await body(session)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }
}

extension Session {
    /// Gets a page of one of the servers.
    func text(
        of apache: Apache, _ server: Apache.Server, _ path: String = "/page.txt"
    ) async throws -> (status: Int, body: String) {
        let response = try await get(try apache.url(server, path))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }
}
