// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CertificateTrust
import EssentialFoundation
import Identities
import SwiftASN1
import X509

/// Creates the revocation list and OCSP responses, and caches them until they age or a certificate is revoked.
actor Publisher {
    /// A response that may be sent more than once.
    struct CachedResponse: Sendable {
        let bytes: [UInt8]
        let made: Date
        let end: Date
        /// Whether the response is an unsigned OCSP error.
        var isRefusal = false
    }

    private static let maximumCachedResponseCount = 20_000
    /// The fraction of a list's lifetime after which it is created again.
    private static let refreshFraction = 0.5
    /// The interval between write checks, in seconds.
    private static let checkInterval = 5.0

    let authorityCertificate: [UInt8]
    private let open: OpenAuthority
    private let listDays: Int
    private let responseLifetime: TimeInterval
    private var responder: OCSPResponder
    private var list: CachedResponse?
    private var responses: [[UInt8]: CachedResponse] = [:]
    /// The number of the last log entry at the time when the cached responses were created.
    private var sequence: Int64 = -1
    /// The time of the next check that the state is writable.
    private var nextCheck = Date.distantPast

    init(_ open: OpenAuthority, listDays: Int, responseLifetime: TimeInterval) async throws {
        (self.open, self.listDays, self.responseLifetime) = (open, listDays, responseLifetime)
        authorityCertificate = try open.authority.certificate.derRepresentation
        responder = try await Self.makeResponder(open)
    }

    /// The revocation list in DER.
    func revocationList() async throws -> CachedResponse {
        try await discardOutdatedResponses()
        let now = Date()
        if let list, now < list.made + list.end.timeIntervalSince(list.made) * Self.refreshFraction { return list }
        let revoked = try await open.store.revoked(at: now)
        let (authority, validity) = (open.authority, Validity.days(listDays))
        let bytes = try await open.store.list(now: now) { number in
            try authority.revocationList(of: revoked, number: number, validity: validity, now: now)
        }
        let made = CachedResponse(bytes: bytes, made: now, end: now + TimeInterval(listDays) * 86_400)
        list = made
        // The new list is itself an entry of the log, but changes no certificate's status.
        sequence = try await open.store.sequence
        return made
    }

    /// Answers an OCSP request; a request without a nonce gets the same response for half of the response's lifetime.
    func response(to request: [UInt8]) async throws -> CachedResponse {
        try await discardOutdatedResponses()
        let now = Date()
        if let cached = responses[request], now < cached.made + responseLifetime * Self.refreshFraction {
            return cached
        }
        if responder.identity.certificate.notValidAfter.timeIntervalSince(now) < responseLifetime {
            responder = try await Self.makeResponder(open)
        }
        let store = open.store
        let bytes = try await responder.respond(to: request, lifetime: responseLifetime, now: now) { serialNumber in
            try await store.status(of: serialNumber)
        }
        guard !OCSPResponder.isRefusal(bytes) else {
            return CachedResponse(bytes: bytes, made: now, end: now, isRefusal: true)
        }
        let made = CachedResponse(bytes: bytes, made: now, end: now + responseLifetime)
        if responses.count >= Self.maximumCachedResponseCount { responses.removeAll() }
        if OCSPResponder.mayRepeatAnswer(to: request) { responses[request] = made }
        return made
    }

    /// Checks that the state can be read and written, and that a list can be served.
    ///
    /// Anyone may call this route, so the check writes only once every few seconds.
    func checkReadiness() async throws {
        if Date() >= nextCheck {
            try await open.store.checkWriting()
            nextCheck = Date() + Self.checkInterval
        }
        _ = try await revocationList()
    }

    private func discardOutdatedResponses() async throws {
        let current = try await open.store.sequence
        guard current != sequence else { return }
        (sequence, list) = (current, nil)
        responses.removeAll()
    }

    private static func makeResponder(_ open: OpenAuthority) async throws -> OCSPResponder {
        let now = Date()
        let responder = try open.authority.issueResponder(now: now)
        try await open.store.record(
            responder.identity.certificate, name: "OCSP responder", purpose: .responder, now: now)
        return responder
    }
}
