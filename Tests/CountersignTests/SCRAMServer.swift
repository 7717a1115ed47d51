// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server's half of SCRAM-SHA-256 (RFC 5802 section 3, RFC 7804), written apart from the client's.
final class SCRAMServer: Sendable {
    enum Judgement {
        case challenge(String)
        case accepted(information: String)
    }

    private static let salt = Data("salt".utf8)
    private static let iterations = 4_096

    private let saltedPassword: SymmetricKey
    private let realm: String
    /// The client's first message and the server's, by the name of their exchange.
    private let exchanges = NIOLockedValueBox<[String: (bareFirst: String, serverFirst: String)]>([:])

    init(realm: String, password: String) {
        self.realm = realm
        let key = SymmetricKey(data: Data(password.utf8))
        var block = Array(HMAC<SHA256>.authenticationCode(for: Self.salt + [0, 0, 0, 1], using: key))
        var sum = block
        for _ in 1..<Self.iterations {
            block = Array(HMAC<SHA256>.authenticationCode(for: block, using: key))
            for index in sum.indices { sum[index] ^= block[index] }
        }
        saltedPassword = SymmetricKey(data: sum)
    }

    func judge(_ answer: String?) -> Judgement {
        let opening = Judgement.challenge("SCRAM-SHA-256 realm=\"\(realm)\"")
        guard let answer, let data = Self.parameter("data", of: answer).flatMap({ Data(base64Encoded: $0) }) else {
            return opening
        }
        let message = String(decoding: data, as: UTF8.self)
        guard let name = Self.parameter("sid", of: answer) else { return offer(to: message) }
        guard let exchange = exchanges.withLockedValue({ $0.removeValue(forKey: name) }),
            let proofStart = message.firstRange(of: ",p="),
            let proof = Data(base64Encoded: String(message[proofStart.upperBound...]))
        else { return opening }
        let whole = "\(exchange.bareFirst),\(exchange.serverFirst),\(message[..<proofStart.lowerBound])"
        let clientKey = code("Client Key", saltedPassword)
        let signature = code(whole, SymmetricKey(data: SHA256.hash(data: clientKey)))
        guard proof.elementsEqual(zip(clientKey, signature).map { $0 ^ $1 }) else { return opening }
        let verifier = Data(code(whole, SymmetricKey(data: code("Server Key", saltedPassword))))
        return .accepted(information: "sid=\(name), data=\(Self.base64("v=" + verifier.base64EncodedString()))")
    }

    private func offer(to clientFirst: String) -> Judgement {
        let bareFirst = String(clientFirst.dropFirst(3))
        let nonce = bareFirst.firstRange(of: ",r=").map { String(bareFirst[$0.upperBound...]) } ?? ""
        let name = "s\(UInt64.random(in: .min ... .max))"
        let serverFirst = "r=\(nonce)\(name),s=\(Self.salt.base64EncodedString()),i=\(Self.iterations)"
        exchanges.withLockedValue { $0[name] = (bareFirst, serverFirst) }
        return .challenge("SCRAM-SHA-256 sid=\(name), data=\(Self.base64(serverFirst))")
    }

    private func code(_ text: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func parameter(_ name: String, of answer: String) -> String? {
        answer.firstRange(of: "\(name)=").map { String(answer[$0.upperBound...].prefix { $0 != "," }) }
    }
}
