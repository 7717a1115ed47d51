// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import SwiftASN1
package import X509

/// The server side of NTLM over HTTP (MS-NTHT).
///
/// It accepts only version 2, and authenticates the connection.
package struct NTLMGate: LabGate {
    /// Uncommon options of a server that a client must handle.
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The server closes the connection after the 401 response that only names the scheme, so that the exchange
        /// needs another connection.
        package static let closesAfterFirstRefusal = Self(rawValue: 1)
        /// The server closes the connection after its challenge, so that no exchange can complete.
        package static let closesAfterChallenge = Self(rawValue: 2)
        /// The server sends the bodies of 401 and 407 responses in chunks.
        package static let chunksRefusals = Self(rawValue: 4)
        /// The server sends and accepts the messages under the scheme Negotiate.
        package static let usesNegotiate = Self(rawValue: 8)
    }

    let terms: NTLMTerms
    let options: Options

    package init(_ terms: NTLMTerms, options: Options = []) {
        self.terms = terms
        self.options = options
    }

    package func verifier() -> any LabVerifier { NTLMVerifier(terms: terms, options: options) }
}

/// The verifier of one connection, whose authentication applies to all later requests.
struct NTLMVerifier: LabVerifier {
    private enum Stage {
        case start
        case challenged(NTLMAcceptor)
        case authenticated
    }

    let terms: NTLMTerms
    let options: NTLMGate.Options
    private var stage = Stage.start

    init(terms: NTLMTerms, options: NTLMGate.Options) {
        self.terms = terms
        self.options = options
    }

    func information(about answer: String, responseBody: [UInt8]) -> String? { nil }

    mutating func verify(_ answer: String?, of request: LabRequest) -> LabRefusal? {
        let before = stage
        stage = .start
        switch (before, answer.map(message)) {
        case (.authenticated, nil):
            stage = .authenticated
            return nil
        case (.authenticated, _?):
            // The connection may now carry requests of other clients, so a second login is refused.
            return refusal(termination: .closed)
        case (.start, let message??):
            var acceptor = NTLMAcceptor(terms, serverChallenge: .random(in: .min ... .max), time: Date())
            guard let challenge = try? acceptor.challenge(answering: message) else { return refusal() }
            stage = .challenged(acceptor)
            let termination: LabRefusal.Termination = options.contains(.closesAfterChallenge) ? .closed : .open
            return refusal("\(scheme) " + Data(challenge).base64EncodedString(), termination: termination)
        case (.challenged(var acceptor), let message??):
            guard (try? acceptor.accept(message)) != nil else { return refusal() }
            stage = .authenticated
            return nil
        case (.start, nil):
            return refusal(termination: options.contains(.closesAfterFirstRefusal) ? .closed : .open)
        case (.start, .some(nil)), (.challenged, _):
            return refusal()
        }
    }

    private var scheme: String { options.contains(.usesNegotiate) ? "Negotiate" : "NTLM" }

    private func refusal(_ challenge: String? = nil, termination: LabRefusal.Termination = .open) -> LabRefusal {
        LabRefusal(
            challenge: challenge ?? scheme, termination: termination, isChunked: options.contains(.chunksRefusals))
    }

    private func message(_ answer: String) -> [UInt8]? {
        guard answer.lowercased().hasPrefix(scheme.lowercased() + " ") else { return nil }
        return Data(base64Encoded: String(answer.dropFirst(scheme.count + 1))).map { Array($0) }
    }
}

/// The users that an NTLM server accepts, and further conditions.
package struct NTLMTerms: Sendable {
    /// The information that a server omits from its challenge, as some servers do.
    package enum Omission: Hashable, Sendable {
        case nothing
        /// The timestamp is missing, so the client's answer needs no integrity code.
        case timestamp
        case targetInformation
    }

    /// The domain of the users, which a client may omit.
    static let domain = "COUNTERSIGN"
    static let dnsDomain = "countersign.test"
    static let computer = "LAB"

    let accepted: [LabCredentials]
    let omission: Omission
    /// The required channel binding; `nil` if none is required.
    let channelBinding: [UInt8]?
    /// The accepted service names.
    ///
    /// Answers for other services are refused.
    let services: Set<String>

    /// - Parameters:
    ///   - accepted: The accepted users, without their domain.
    ///   - omission: The information that the challenge omits.
    ///   - certificate: The server's certificate, to which answers must be bound; `nil` requires no channel binding.
    ///   - services: The accepted service names, in any case.
    /// - Throws: The error of encoding the certificate.
    package init(
        accepted: [LabCredentials] = [.lab], omitting omission: Omission = .nothing,
        boundTo certificate: Certificate? = nil, services: [String] = ["HTTP/localhost", "HTTP/127.0.0.1"]
    ) throws {
        self.accepted = accepted
        self.omission = omission
        self.services = Set(services.map { $0.uppercased() })
        channelBinding = try certificate.map(Self.binding)
    }

    /// Creates the terms of a server with the given host names.
    init(omitting omission: Omission = .nothing, boundTo certificate: Certificate? = nil, hosts: [String]) throws {
        try self.init(omitting: omission, boundTo: certificate, services: hosts.map { "HTTP/" + $0 })
    }

    /// Returns the MD5 hash of a gss_channel_bindings_struct with `tls-server-end-point` (RFC 2744 section 3.11, RFC
    /// 5929 section 4).
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

    /// Returns the credentials of a user.
    ///
    /// NTLM user names are case-insensitive.
    func credentials(of user: String, in domain: String) -> LabCredentials? {
        guard ["", Self.domain, Self.dnsDomain.uppercased()].contains(domain.uppercased()) else { return nil }
        return accepted.first { known in
            let principal = domain.isEmpty ? "\(known.user)@\(Self.dnsDomain)" : known.user
            return [known.user, principal].contains { $0.uppercased() == user.uppercased() }
        }
    }
}
