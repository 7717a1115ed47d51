// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import CertificateAuthority
internal import Countersign
internal import Encodings
internal import Identities
internal import SwiftASN1
internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What an order asks for (RFC 8555 section 7.4).
struct NewOrder: Encodable {
    let identifiers: [Identifier]
    let profile: String?
    let replaces: String?
}

/// One order from its beginning to the certificate.
struct OrderRun {
    private static let mostAlternates = 8

    let account: ACMEAccount
    let responders: [any ChallengeResponder]
    let deadline: ContinuousClock.Instant

    func obtain(_ wanted: NewOrder, key: Certificate.PrivateKey) async throws -> IssuedChain {
        let identifiers = Set(wanted.identifiers)
        let reply = try await account.post(
            Array(try JSONEncoder().encode(wanted)), to: account.exchange.directory.newOrder)
        guard let url = reply.location else { throw reply.unexpected }
        var order = try reply.decode(Order.self)
        try Self.require(order.identifiers, identifiers)
        // Each name has one.
        guard order.authorizations.count <= identifiers.count else { throw reply.unexpected }
        if order.status == .pending {
            try await AuthorizationRun(account: account, responders: responders, deadline: deadline)
                .authorize(order.authorizations, for: Set(identifiers.map(\.authorized)))
            order = try await poll(url) { $0 != .pending && $0 != .processing }
        }
        if order.status == .ready {
            let profile = LeafProfile.server(names: wanted.identifiers.map(\.value))
            let request = Base64URL.encode(try CertificateRequest.encode(profile, key: key))
            _ = try await account.post(Array(try JSONEncoder().encode(["csr": request])), to: order.finalize)
            order = try await poll(url) { $0 == .valid || $0 == .invalid }
        }
        guard order.status == .valid, let certificate = order.certificate else {
            throw ACMEClientError.orderFailed(order.error)
        }
        return try await download(certificate, for: identifiers, key: key.publicKey)
    }

    private func poll(_ url: String, until isDone: (Order.Status) -> Bool) async throws -> Order {
        try await Poll(account: account, deadline: deadline).wait(for: url, as: Order.self) { isDone($0.status) }
    }

    private func download(
        _ url: String, for identifiers: Set<Identifier>, key: Certificate.PublicKey
    ) async throws -> IssuedChain {
        let reply = try await account.post([], to: url)
        let chain = try Self.chain(reply, for: identifiers, key: key)
        var alternates: [[Certificate]] = []
        for link in reply.links("alternate").prefix(Self.mostAlternates) {
            alternates.append(try Self.chain(try await account.post([], to: link), for: identifiers, key: key))
        }
        guard let leaf = chain.first else { throw ACMEClientError.malformedCertificate }
        return IssuedChain(chain: chain, alternates: alternates, certificate: leaf)
    }

    private static func chain(
        _ reply: Reply, for identifiers: Set<Identifier>, key: Certificate.PublicKey
    ) throws -> [Certificate] {
        guard let blocks = try? PEMBlock.blocks(in: reply.body), !blocks.isEmpty,
            blocks.allSatisfy({ $0.label == "CERTIFICATE" }),
            let chain = try? blocks.map({ try Certificate(derEncoded: $0.der) }), let leaf = chain.first
        else { throw ACMEClientError.malformedCertificate }
        guard leaf.publicKey == key else { throw ACMEClientError.otherKey }
        try require(Identifier.all(in: leaf).sorted { $0.value < $1.value }, identifiers)
        return chain
    }

    private static func require(_ found: [Identifier], _ wanted: Set<Identifier>) throws(ACMEClientError) {
        guard Set(found.map { $0.canonical ?? $0 }) == wanted else { throw .otherIdentifiers(found) }
    }
}
