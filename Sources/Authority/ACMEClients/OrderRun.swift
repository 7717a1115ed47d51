// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import CertificateAuthorities
internal import Countersign
internal import Encodings
internal import EssentialFoundation
internal import Identities
internal import SwiftASN1
internal import X509

/// The payload of a new order (RFC 8555 section 7.4).
struct NewOrder: Encodable {
    let identifiers: [ACMEIdentifier]
    let profile: String?
    let replaces: String?
}

/// One order, from its creation to the certificate.
struct OrderRun {
    private static let maximumAlternateCount = 8

    let account: ACMEAccount
    let responders: [any ChallengeResponder]
    let deadline: ContinuousClock.Instant

    func obtain(_ wanted: NewOrder, key: Certificate.PrivateKey) async throws -> IssuedChain {
        let identifiers = Set(wanted.identifiers)
        let reply = try await account.post(
            Array(try JSONEncoder().encode(wanted)), to: account.exchange.directory.newOrder)
        guard let url = reply.location else { throw reply.unexpected }
        var order = try reply.decode(ACMEOrder.self)
        try Self.require(order.identifiers, identifiers)
        // Each name has one authorization.
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

    private func poll(_ url: String, until isDone: (ACMEOrder.Status) -> Bool) async throws -> ACMEOrder {
        try await Poll(account: account, deadline: deadline).wait(for: url, as: ACMEOrder.self) { isDone($0.status) }
    }

    private func download(
        _ url: String, for identifiers: Set<ACMEIdentifier>, key: Certificate.PublicKey
    ) async throws -> IssuedChain {
        let reply = try await account.post([], to: url)
        let chain = try Self.chain(reply, for: identifiers, key: key)
        var alternates: [[Certificate]] = []
        for link in reply.links("alternate").prefix(Self.maximumAlternateCount) {
            alternates.append(try Self.chain(try await account.post([], to: link), for: identifiers, key: key))
        }
        guard let leaf = chain.first else { throw ACMEClientError.malformedCertificate }
        return IssuedChain(chain: chain, alternates: alternates, certificate: leaf)
    }

    private static func chain(
        _ reply: Reply, for identifiers: Set<ACMEIdentifier>, key: Certificate.PublicKey
    ) throws -> [Certificate] {
        guard let blocks = try? PEMBlock.blocks(in: reply.body), !blocks.isEmpty,
            blocks.allSatisfy({ $0.label == "CERTIFICATE" }),
            let chain = try? blocks.map({ try Certificate(derEncoded: $0.der) }), let leaf = chain.first
        else { throw ACMEClientError.malformedCertificate }
        guard leaf.publicKey == key else { throw ACMEClientError.otherKey }
        try require(ACMEIdentifier.all(in: leaf).sorted { $0.value < $1.value }, identifiers)
        return chain
    }

    private static func require(_ found: [ACMEIdentifier], _ wanted: Set<ACMEIdentifier>) throws(ACMEClientError) {
        guard Set(found.map { $0.canonical ?? $0 }) == wanted else { throw .otherIdentifiers(found) }
    }
}

/// The validation of an order's authorizations.
struct AuthorizationRun {
    let account: ACMEAccount
    let responders: [any ChallengeResponder]
    let deadline: ContinuousClock.Instant

    /// A challenge and the responder that answers it.
    private struct Answer {
        let url: String
        let challenge: ACME.ACMEChallenge
        let responder: any ChallengeResponder
        let proof: ChallengeProof
    }

    func authorize(_ urls: [String], for identifiers: Set<ACMEIdentifier>) async throws {
        var answers: [Answer] = []
        for url in urls {
            let authorization = try await account.post([], to: url).decode(ACMEAuthorization.self)
            let identifier = authorization.identifier
            guard identifiers.contains(identifier.canonical ?? identifier) else {
                throw ACMEClientError.otherIdentifiers([identifier])
            }
            switch authorization.status {
            case .valid: continue
            case .pending: answers.append(try answer(to: authorization, at: url))
            case .invalid, .deactivated, .expired, .revoked:
                throw ACMEClientError.authorizationLost(identifier, authorization.status)
            }
        }
        var presented: [Answer] = []
        do {
            // All proofs are published before the first validation, so that DNS records propagate in parallel.
            for answer in answers {
                presented.append(answer)
                try await answer.responder.present(answer.proof)
            }
            for answer in answers { _ = try await account.post(Array("{}".utf8), to: answer.challenge.url) }
            for answer in answers { try await waitUntilValid(answer) }
        } catch {
            await withdraw(presented)
            throw error
        }
        await withdraw(presented)
    }

    private func withdraw(_ answers: [Answer]) async {
        for answer in answers { await answer.responder.withdraw(answer.proof) }
    }

    private func answer(to authorization: ACMEAuthorization, at url: String) throws(ACMEClientError) -> Answer {
        for responder in responders {
            for challenge in authorization.challenges where challenge.type == responder.kind {
                // A malformed token could name another file.
                guard let token = challenge.token, KeyAuthorization.isToken(token) else { continue }
                let proof = ChallengeProof(
                    identifier: authorization.identifier, token: token,
                    authorization: KeyAuthorization(token: token, key: account.key.publicKey))
                return Answer(url: url, challenge: challenge, responder: responder, proof: proof)
            }
        }
        throw .noUsableChallenge(authorization.identifier, offered: authorization.challenges.map(\.type))
    }

    private func waitUntilValid(_ answer: Answer) async throws {
        let authorization = try await Poll(account: account, deadline: deadline)
            .wait(for: answer.url, as: ACMEAuthorization.self) { $0.status != .pending }
        switch authorization.status {
        case .valid: return
        case .invalid:
            let problem = authorization.challenges.first { $0.type == answer.challenge.type }?.error
            throw ACMEClientError.challengeFailed(answer.proof.identifier, answer.challenge.type, problem)
        case .pending, .deactivated, .expired, .revoked:
            throw ACMEClientError.authorizationLost(answer.proof.identifier, authorization.status)
        }
    }
}

/// The polling of a resource until it has the expected state.
struct Poll {
    private static let usual = Duration.seconds(1)
    private static let maximumDelay = Duration.seconds(60)

    let account: ACMEAccount
    let deadline: ContinuousClock.Instant

    /// Polls at the interval of the authority's Retry-After field (seconds or a date), or every second
    /// without that field.
    func wait<Resource: Decodable>(
        for url: String, as type: Resource.Type, until isDone: (Resource) -> Bool
    ) async throws -> Resource {
        let start = ContinuousClock.now
        while true {
            let reply = try await account.post([], to: url)
            let resource = try reply.decode(type)
            if isDone(resource) { return resource }
            let pause = min(max(reply.retryAfter ?? Self.usual, .milliseconds(100)), Self.maximumDelay)
            guard ContinuousClock.now + pause < deadline else {
                throw ACMEClientError.timedOut(seconds: Int((deadline - start).components.seconds))
            }
            try await Task.sleep(for: pause)
        }
    }
}
