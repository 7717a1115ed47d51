// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import NIOConcurrencyHelpers

/// A server's half of Digest (RFC 7616), written apart from the client's so that neither excuses the other.
final class DigestGate: LabGate {
    enum Hash: String, Sendable {
        case md5 = "MD5"
        case sha256 = "SHA-256"

        func hex(_ text: String) -> String {
            let bytes: [UInt8] =
                switch self {
                case .md5: Array(Insecure.MD5.hash(data: Array(text.utf8)))
                case .sha256: Array(SHA256.hash(data: Array(text.utf8)))
                }
            return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// How often a nonce may be used before a fresh one is asked for.
    private static let usesPerNonce = 1_000

    private let realm: String
    private let accepted: LabServer.Credentials
    private let hash: Hash
    private let opaque: String
    /// The counts that each nonce was used with, so that none is used twice.
    private let usedCounts = NIOLockedValueBox<[String: Set<UInt32>]>([:])

    init(realm: String, accepted: LabServer.Credentials, hash: Hash) {
        self.realm = realm
        self.accepted = accepted
        self.hash = hash
        opaque = Self.random()
    }

    func challenge(to answer: String?, method: String, target: String) -> String? {
        switch answer.map({ judge(Self.parameters(of: $0), method: method, target: target) }) ?? .wrong {
        case .right: nil
        case .wrong: freshChallenge(isStale: false)
        case .stale: freshChallenge(isStale: true)
        }
    }

    private enum Judgement {
        case right
        case wrong
        /// The password is right, the nonce is unknown, used up, or was used with this count before.
        case stale
    }

    private func judge(_ sent: [String: String], method: String, target: String) -> Judgement {
        guard let nonce = sent["nonce"], let count = sent["nc"], count.utf8.count == 8,
            let number = UInt32(count, radix: 16), let clientNonce = sent["cnonce"], sent["qop"] == "auth",
            sent["algorithm"] == hash.rawValue, sent["realm"] == realm, sent["opaque"] == opaque,
            sent["username"] == accepted.user, let uri = sent["uri"], uri.isSameTarget(as: target)
        else { return .wrong }
        let key = hash.hex("\(accepted.user):\(realm):\(accepted.password)")
        let proof = hash.hex("\(key):\(nonce):\(count):\(clientNonce):auth:\(hash.hex("\(method):\(uri)"))")
        guard constantTimeEqual(proof, sent["response"] ?? "") else { return .wrong }
        let isFresh = usedCounts.withLockedValue { used in
            guard let counts = used[nonce], counts.count < Self.usesPerNonce else { return false }
            return used[nonce]?.insert(number).inserted == true
        }
        return isFresh ? .right : .stale
    }

    private func freshChallenge(isStale: Bool) -> String {
        let nonce = Self.random()
        usedCounts.withLockedValue { $0[nonce] = [] }
        return """
            Digest realm="\(realm)", qop="auth", algorithm=\(hash.rawValue), nonce="\(nonce)", \
            opaque="\(opaque)"\(isStale ? ", stale=true" : "")
            """
    }

    private static func random() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    /// Splits at the commas outside of quotes; enough for what RFC 7616 clients send.
    private static func parameters(of answer: String) -> [String: String] {
        guard answer.lowercased().hasPrefix("digest ") else { return [:] }
        var parameters: [String: String] = [:]
        var isQuoted = false
        let parts = answer.dropFirst(7).split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            let name = pair[0].filter { !$0.isWhitespace }.lowercased()
            let value = pair[1].drop { $0 == " " }
            parameters[name] = String(value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : value)
        }
        return parameters
    }
}

extension String {
    /// A proxy sees the absolute form and is often sent the path alone as `uri`.
    fileprivate func isSameTarget(as target: String) -> Bool {
        guard self != target else { return true }
        guard let authority = target.firstRange(of: "://")?.upperBound else { return false }
        return target[authority...].drop { $0 != "/" } == self
    }
}
