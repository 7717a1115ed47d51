// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import EssentialFoundation
import NIOConcurrencyHelpers

/// The server side of SCRAM-SHA-256 (RFC 5802 section 3, RFC 7804), which shares no code with the client.
package final class SCRAMGate: RequestGate {
    /// The contents of the `Authentication-Info` field for an authenticated client.
    package enum Information: Hashable, Sendable, CaseIterable {
        case proof
        case nothing
        case wrongProof
    }

    private struct Exchange {
        let bareFirst: String
        let serverFirst: String
        let nonce: String
    }

    private static let salt = Array("salt".utf8)
    /// The iteration count, which is the minimum of RFC 7677 section 4.
    private static let iterations = 4_096

    private let realm: String
    private let user: String
    private let saltedPassword: SymmetricKey
    private let information: Information
    /// The exchanges that wait for client-final-message, by session ID.
    private let exchanges = NIOLockedValueBox<[String: Exchange]>([:])
    /// The server signatures of completed exchanges, by session ID.
    private let proofs = NIOLockedValueBox<[String: [UInt8]]>([:])

    package init(realm: String, accepted: LabCredentials, information: Information = .proof) throws {
        self.realm = realm
        user = accepted.user
        self.information = information
        saltedPassword = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(accepted.password.utf8), salt: Self.salt, using: .sha256, outputByteCount: 32,
            unsafeUncheckedRounds: Self.iterations)
    }

    package func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? {
        let opening = "SCRAM-SHA-256 realm=\"\(realm)\""
        guard let answer, answer.lowercased().hasPrefix("scram-sha-256 "),
            let data = Self.parameter("data", of: answer).flatMap({ Data(base64Encoded: $0) })
        else { return opening }
        let message = String(decoding: data, as: UTF8.self)
        guard let name = Self.parameter("sid", of: answer) else { return offer(to: message) ?? opening }
        guard let exchange = exchanges.withLockedValue({ $0.removeValue(forKey: name) }),
            let proof = proof(answering: message, of: exchange)
        else { return opening }
        proofs.withLockedValue { $0[name] = proof }
        return nil
    }

    package func information(about answer: String, responseBody: [UInt8]) -> String? {
        guard let name = Self.parameter("sid", of: answer),
            let proof = proofs.withLockedValue({ $0.removeValue(forKey: name) })
        else { return nil }
        let value = Data(information == .wrongProof ? proof.reversed() : proof).base64EncodedString()
        return information == .nothing ? nil : "sid=\(name), data=\(Self.base64("v=" + value))"
    }

    /// Returns server-first-message for a client without an authorization identity or a channel binding.
    private func offer(to clientFirst: String) -> String? {
        guard clientFirst.hasPrefix("n,,") else { return nil }
        let bareFirst = String(clientFirst.dropFirst(3))
        let parts = bareFirst.split(separator: ",")
        guard parts.count == 2, parts[0] == "n=" + user, parts[1].hasPrefix("r=") else { return nil }
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        let nonce = "\(parts[1].dropFirst(2))\(name)"
        let serverFirst = "r=\(nonce),s=\(Data(Self.salt).base64EncodedString()),i=\(Self.iterations)"
        let exchange = Exchange(bareFirst: bareFirst, serverFirst: serverFirst, nonce: nonce)
        exchanges.withLockedValue { $0[name] = exchange }
        return "SCRAM-SHA-256 sid=\(name), data=\(Self.base64(serverFirst))"
    }

    /// Verifies client-final-message.
    ///
    /// Returns ServerSignature, or `nil` if the password is wrong.
    private func proof(answering clientFinal: String, of exchange: Exchange) -> [UInt8]? {
        let withoutProof = "c=biws,r=\(exchange.nonce)"
        guard clientFinal.hasPrefix(withoutProof + ",p="),
            let proof = Data(base64Encoded: String(clientFinal.dropFirst(withoutProof.count + 3)))
        else { return nil }
        let authMessage = "\(exchange.bareFirst),\(exchange.serverFirst),\(withoutProof)"
        let clientKey = code("Client Key", saltedPassword)
        let signature = code(authMessage, SymmetricKey(data: SHA256.hash(data: clientKey)))
        guard constantTimeEqual(Array(proof), zip(clientKey, signature).map { $0 ^ $1 }) else { return nil }
        return code(authMessage, SymmetricKey(data: code("Server Key", saltedPassword)))
    }

    private func code(_ text: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func parameter(_ name: String, of answer: String) -> String? {
        answer.firstRange(of: "\(name)=").map { String(answer[$0.upperBound...].prefix { $0 != "," }) }
    }
}
