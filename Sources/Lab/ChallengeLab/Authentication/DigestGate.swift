// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// The server side of Digest authentication (RFC 7616).
///
/// It shares no code with the client, so that a bug in one is exposed by the other.
package final class DigestGate: RequestGate {
    /// The contents of the `Authentication-Info` field for an authenticated client (RFC 7616 section 3.5).
    package enum Information: Sendable {
        case nothing
        case proof
        case wrongProof
        /// Each nonce is valid for one request, and the next one is sent along with the server's proof.
        case proofAndNextNonce
    }

    /// Uncommon options of a server.
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The key depends on the nonces (`-sess`, section 3.4.2).
        package static let hashesSessions = Self(rawValue: 1)
        /// The user name is hashed (section 3.4.4).
        package static let hashesUsers = Self(rawValue: 2)
        /// The challenge has no quality of protection, as before RFC 2617.
        package static let omitsQualityOfProtection = Self(rawValue: 4)
        /// The first correct response is refused with `stale=true`.
        package static let rejectsFirstNonce = Self(rawValue: 8)
    }

    private let realm: String
    private let accepted: LabCredentials
    private let hash: DigestHash
    private let quality: String
    private let information: Information
    private let options: Options
    private let opaque: String
    private let hasRejectedFirstNonce = NIOLockedValueBox(false)
    /// The nonce counts that were used with each nonce, so that none is accepted twice.
    private let usedCounts = NIOLockedValueBox<[String: Set<UInt32>]>([:])

    /// Creates a gate that accepts responses with only one quality of protection, `auth` or `auth-int`.
    package init(
        realm: String, accepted: LabCredentials, hash: DigestHash, quality: String = "auth",
        information: Information = .nothing, options: Options = []
    ) {
        self.realm = realm
        self.accepted = accepted
        self.hash = hash
        self.quality = quality
        self.information = information
        self.options = options
        opaque = Self.random()
    }

    package var bodyHash: DigestHash? { quality == "auth-int" ? hash : nil }

    package func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? {
        switch answer.map({ verify(Self.parameters(of: $0), method: method, target: target, body: body) }) ?? .wrong {
        case .right: nil
        case .wrong: freshChallenge(isStale: false)
        case .stale: freshChallenge(isStale: true)
        }
    }

    package func information(about answer: String, responseBody: [UInt8]) -> String? {
        let sent = Self.parameters(of: answer)
        guard !options.contains(.omitsQualityOfProtection) else { return nil }
        let proof = proof(of: sent, method: "", content: hash.hex(responseBody))
        let repeated = "qop=\(quality), nc=\(sent["nc"] ?? ""), cnonce=\"\(sent["cnonce"] ?? "")\""
        return switch information {
        case .nothing: nil
        case .proof: "rspauth=\"\(proof)\", \(repeated)"
        case .wrongProof: "rspauth=\"\(hash.hex(proof))\", \(repeated)"
        case .proofAndNextNonce: "rspauth=\"\(proof)\", \(repeated), nextnonce=\"\(freshNonce())\""
        }
    }

    /// The maximum number of uses of a nonce.
    private var usesPerNonce: Int { information == .proofAndNextNonce ? 1 : 1_000 }

    // The argument `content` is the hash of the message body.
    private func proof(of sent: [String: String], method: String, content: String) -> String {
        var key = hash.hex("\(accepted.user):\(realm):\(accepted.password)")
        let protected = quality == "auth-int" ? ":" + content : ""
        let subject = hash.hex("\(method):\(sent["uri"] ?? "")\(protected)")
        let (nonce, count, clientNonce) = (sent["nonce"] ?? "", sent["nc"] ?? "", sent["cnonce"] ?? "")
        if options.contains(.hashesSessions) { key = hash.hex("\(key):\(nonce):\(clientNonce)") }
        guard !options.contains(.omitsQualityOfProtection) else { return hash.hex("\(key):\(nonce):\(subject)") }
        return hash.hex("\(key):\(nonce):\(count):\(clientNonce):\(quality):\(subject)")
    }

    private enum Verdict {
        case right
        case wrong
        /// The password is correct, but the nonce is unknown, used up, or was used with this nonce count before.
        case stale
    }

    private func verify(_ sent: [String: String], method: String, target: String, body: LabBody) -> Verdict {
        guard let nonce = sent["nonce"], let number = useCount(sent), sent["algorithm"] == algorithm,
            sent["realm"] == realm, sent["opaque"] == opaque, sent["username"] == userName,
            let uri = sent["uri"], uri.isSameTarget(as: target)
        else { return .wrong }
        guard constantTimeEqual(proof(of: sent, method: method, content: body.digest ?? ""), sent["response"] ?? "")
        else {
            return .wrong
        }
        if options.contains(.rejectsFirstNonce),
            hasRejectedFirstNonce.withLockedValue({ $0.exchange(with: true) }) == false
        {
            return .stale
        }
        let isFresh = usedCounts.withLockedValue { used in
            guard let counts = used[nonce], counts.count < usesPerNonce else { return false }
            // Without a quality of protection, there is no nonce count.
            return used[nonce]?.insert(number).inserted == true || options.contains(.omitsQualityOfProtection)
        }
        return isFresh ? .right : .stale
    }

    /// Returns the nonce count; `nil` if the credentials do not have this gate's quality of protection.
    private func useCount(_ sent: [String: String]) -> UInt32? {
        guard !options.contains(.omitsQualityOfProtection) else { return sent["qop"] == nil ? 1 : nil }
        guard let count = sent["nc"], count.utf8.count == 8, sent["cnonce"] != nil, sent["qop"] == quality else {
            return nil
        }
        return UInt32(count, radix: 16)
    }

    private var algorithm: String { hash.rawValue + (options.contains(.hashesSessions) ? "-sess" : "") }

    private var userName: String {
        options.contains(.hashesUsers) ? hash.hex("\(accepted.user):\(realm)") : accepted.user
    }

    private func freshChallenge(isStale: Bool) -> String {
        """
        Digest realm="\(realm)"\(options.contains(.omitsQualityOfProtection) ? "" : ", qop=\"\(quality)\""), \
        algorithm=\(algorithm), nonce="\(freshNonce())", opaque="\(opaque)"\
        \(options.contains(.hashesUsers) ? ", userhash=true" : "")\(isStale ? ", stale=true" : "")
        """
    }

    private func freshNonce() -> String {
        let nonce = Self.random()
        usedCounts.withLockedValue { $0[nonce] = [] }
        return nonce
    }

    private static func random() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    /// Splits credentials at the commas outside of quotes, which is sufficient for RFC 7616 clients.
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

extension Bool {
    /// Sets a new value and returns the old one.
    fileprivate mutating func exchange(with value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}

extension String {
    /// Returns whether a `uri` parameter matches the request target.
    ///
    /// A proxy gets the target in absolute form, for which the client often sends only the path as `uri`.
    fileprivate func isSameTarget(as target: String) -> Bool {
        guard self != target else { return true }
        guard let authority = target.firstRange(of: "://")?.upperBound else { return false }
        return target[authority...].drop { $0 != "/" } == self
    }
}
