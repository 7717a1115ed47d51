// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import SwiftASN1
package import X509

/// A server's half of NTLM over HTTP (MS-NTHT): version 2 only, and for as long as its connection lasts.
package struct NTLMGate: LabGate {
    /// What a server does that a client has to cope with.
    package struct Habits: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Hangs up after the 401 that only names the scheme, so that the exchange needs another connection.
        package static let closesAfterFirstRefusal = Self(rawValue: 1)
        /// Hangs up after its challenge, so that no exchange ever ends.
        package static let closesAfterChallenge = Self(rawValue: 2)
        /// Sends the bodies of its refusals in chunks.
        package static let chunksRefusals = Self(rawValue: 4)
    }

    let terms: NTLMTerms
    let habits: Habits

    package init(_ terms: NTLMTerms, habits: Habits = []) {
        self.terms = terms
        self.habits = habits
    }

    package func verifier() -> any LabVerifier { NTLMVerifier(terms: terms, habits: habits) }
}

/// Guards one connection: once a password was proved on it, it belongs to that user.
struct NTLMVerifier: LabVerifier {
    private enum Stage {
        case start
        case challenged(NTLMAcceptor)
        case authenticated
    }

    let terms: NTLMTerms
    let habits: NTLMGate.Habits
    private var stage = Stage.start

    init(terms: NTLMTerms, habits: NTLMGate.Habits) {
        self.terms = terms
        self.habits = habits
    }

    func information(about answer: String, responseBody: [UInt8]) -> String? { nil }

    mutating func judge(_ answer: String?, of request: LabRequest) -> LabRefusal? {
        let before = stage
        stage = .start
        switch (before, answer.map(Self.message)) {
        case (.authenticated, nil):
            stage = .authenticated
            return nil
        case (.authenticated, _?):
            // The connection may now carry another client's requests, so a new login on it is refused.
            return refusal(ending: .closed)
        case (.start, let message??):
            var acceptor = NTLMAcceptor(terms, serverChallenge: .random(in: .min ... .max), time: Date())
            guard let challenge = try? acceptor.challenge(answering: message) else { return refusal() }
            stage = .challenged(acceptor)
            let ending: LabRefusal.Ending = habits.contains(.closesAfterChallenge) ? .closed : .open
            return refusal("NTLM " + Data(challenge).base64EncodedString(), ending: ending)
        case (.challenged(var acceptor), let message??):
            guard (try? acceptor.accept(message)) != nil else { return refusal() }
            stage = .authenticated
            return nil
        case (.start, nil):
            return refusal(ending: habits.contains(.closesAfterFirstRefusal) ? .closed : .open)
        case (.start, .some(nil)), (.challenged, _):
            return refusal()
        }
    }

    private func refusal(_ challenge: String = "NTLM", ending: LabRefusal.Ending = .open) -> LabRefusal {
        LabRefusal(challenge: challenge, ending: ending, isChunked: habits.contains(.chunksRefusals))
    }

    private static func message(_ answer: String) -> [UInt8]? {
        guard answer.lowercased().hasPrefix("ntlm ") else { return nil }
        return Data(base64Encoded: String(answer.dropFirst(5))).map { Array($0) }
    }
}

/// Whom an NTLM server lets in, and on what terms.
package struct NTLMTerms: Sendable {
    /// What a server leaves out of its challenge, as some do.
    package enum Omission: Hashable, Sendable {
        case nothing
        /// Answers then need no integrity code.
        case timestamp
        case targetInformation
    }

    /// What the users' names are known in; a client may leave it out.
    static let domain = "COUNTERSIGN"
    static let dnsDomain = "countersign.test"
    static let computer = "LAB"

    let accepted: [LabCredentials]
    let omission: Omission
    /// What an answer must be bound to; `nil` where that does not matter.
    let channelBinding: [UInt8]?
    /// Answers that are meant for other services are refused.
    let services: Set<String>

    /// - Parameters:
    ///   - accepted: Users without their domain.
    ///   - omission: What the challenge lacks.
    ///   - certificate: The server's own, to which answers must be bound; `nil` asks for no binding.
    ///   - services: What answers may be meant for, in any case.
    /// - Throws: What writing the certificate throws.
    package init(
        accepted: [LabCredentials] = [.lab], omitting omission: Omission = .nothing,
        boundTo certificate: Certificate? = nil, services: [String] = ["HTTP/localhost", "HTTP/127.0.0.1"]
    ) throws {
        self.accepted = accepted
        self.omission = omission
        self.services = Set(services.map { $0.uppercased() })
        channelBinding = try certificate.map(Self.binding)
    }

    /// Terms of a server that is reached at hosts.
    init(omitting omission: Omission = .nothing, boundTo certificate: Certificate? = nil, hosts: [String]) throws {
        try self.init(omitting: omission, boundTo: certificate, services: hosts.map { "HTTP/" + $0 })
    }

    /// MD5 of gss_channel_bindings_struct with `tls-server-end-point` (RFC 2744 section 3.11, RFC 5929 section 4).
    private static func binding(to certificate: Certificate) throws -> [UInt8] {
        let der = Array(try certificate.serializeAsPEM().derBytes)
        let hash: [UInt8] =
            switch certificate.signatureAlgorithm {
            case .ecdsaWithSHA384, .sha384WithRSAEncryption: Array(SHA384.hash(data: der))
            case .ecdsaWithSHA512, .sha512WithRSAEncryption: Array(SHA512.hash(data: der))
            default: Array(SHA256.hash(data: der))
            }
        let data = Array("tls-server-end-point:".utf8) + hash
        var structure = [UInt8](repeating: 0, count: 16)
        structure.append(UInt64(data.count), size: 4)
        return Array(Insecure.MD5.hash(data: structure + data))
    }

    /// Whose password is to be proved; NTLM does not tell names apart by their case.
    func credentials(of user: String, in domain: String) -> LabCredentials? {
        guard ["", Self.domain, Self.dnsDomain.uppercased()].contains(domain.uppercased()) else { return nil }
        return accepted.first { known in
            let principal = domain.isEmpty ? "\(known.user)@\(Self.dnsDomain)" : known.user
            return [known.user, principal].contains { $0.uppercased() == user.uppercased() }
        }
    }
}
