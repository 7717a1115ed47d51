// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Challenges
import Identities
import Secrets
import SwiftASN1
import X509
@testable import ChallengeLab
import EssentialFoundation

/// The library's client and the lab's acceptor, without a network between them.
struct NTLMScene {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)

    let negotiation: [UInt8]
    let challenge: [UInt8]
    /// The response of an honest client.
    let answer: [UInt8]
    var acceptor: NTLMAcceptor

    init(
        _ terms: NTLMTerms, user: String = Lab.credentials.user, password: String = Lab.credentials.password,
        service: String = "HTTP/localhost", boundTo certificate: Certificate? = nil, serverChallenge: UInt64 = 7
    ) throws {
        let binding = try certificate.flatMap { try ChannelBinding.tlsServerEndPoint(of: $0.serializeAsPEM().derBytes) }
        var exchange = try NTLMExchange(
            user: user, password: Secret(password), service: service, channelBinding: binding)
        acceptor = NTLMAcceptor(terms, serverChallenge: serverChallenge, time: Self.now)
        negotiation = exchange.negotiateToken()
        challenge = try acceptor.challenge(answering: negotiation)
        answer = try exchange.authenticate(answering: challenge, at: Self.now, clientChallenge: 1)
    }

    static func identity(_ keyType: CertificateAuthority.KeyType = .p256) throws -> Identity {
        try CertificateAuthority(name: "NTLM Root", keyType: keyType, now: now)
            .issue(.server(names: ["localhost"], keyType: keyType), now: now)
    }

    /// Returns the response of a client that knows the password and changes the attributes, with valid proof and MIC.
    func answer(changing change: (inout NTLMAttributes) -> Void) throws -> [UInt8] {
        let message = try NTLMMessage(answer, type: 3)
        let body = try message.field(at: 20).dropFirst(16)
        var attributes = try NTLMAttributes(Array(body.dropFirst(28)))
        change(&attributes)
        let changed = Array(body.prefix(28)) + attributes.encoded + [0, 0, 0, 0]
        let key = NTLMAcceptor.responseKey(
            password: Lab.credentials.password, name: try message.text(at: 36), domain: try message.text(at: 28))
        let proof = NTLMAcceptor.code(key, Array(challenge[24..<32]) + changed)
        var place: [UInt8] = []
        place.append(UInt64(changed.count + 16), size: 2)
        place.append(UInt64(changed.count + 16), size: 2)
        place.append(UInt64(answer.count), size: 4)
        var forged = answer
        forged.replaceSubrange(20..<28, with: place)
        forged.replaceSubrange(72..<88, with: [UInt8](repeating: 0, count: 16))
        forged += proof + changed
        let code = NTLMAcceptor.code(NTLMAcceptor.code(key, proof), negotiation + challenge + forged)
        forged.replaceSubrange(72..<88, with: code)
        return forged
    }
}
