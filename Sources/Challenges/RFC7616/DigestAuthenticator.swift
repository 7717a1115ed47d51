// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Digest authentication (RFC 7616), with `qop=auth` or, for servers older than RFC 2617, without.
public struct DigestAuthenticator: HTTPAuthenticator {
    private let realm: String
    private let nonce: String
    private let opaque: String?
    private let algorithm: DigestAlgorithm
    private let algorithmName: String?
    private let usesQualityOfProtection: Bool
    private let hashesUser: Bool
    private let acceptsExtendedUser: Bool
    private let makeClientNonce: @Sendable () -> String
    private var nonceCount: UInt32 = 0
    private var sessionNonce: String?

    /// Reads a challenge.
    ///
    /// - Returns: `nil` where the algorithm or every quality of protection is unknown.
    /// - Throws: ``HTTPAuthenticatorError/missingParameter(_:)`` without realm or nonce.
    public init?(_ challenge: HTTPChallenge) throws(HTTPAuthenticatorError) {
        try self.init(challenge, makeClientNonce: Self.randomNonce)
    }

    init?(
        _ challenge: HTTPChallenge, makeClientNonce: @escaping @Sendable () -> String
    ) throws(HTTPAuthenticatorError) {
        guard let algorithm = DigestAlgorithm(challenge["algorithm"]) else { return nil }
        let qualities = challenge["qop"]?.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
        if let qualities, !qualities.isEmpty, !qualities.contains("auth") { return nil }
        guard let realm = challenge.realm else { throw .missingParameter("realm") }
        guard let nonce = challenge["nonce"] else { throw .missingParameter("nonce") }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        self.makeClientNonce = makeClientNonce
        opaque = challenge["opaque"]
        algorithmName = challenge["algorithm"]
        usesQualityOfProtection = qualities?.isEmpty == false
        hashesUser = challenge["userhash"]?.lowercased() == "true"
        acceptsExtendedUser = challenge["charset"]?.lowercased() == "utf-8"
    }

    /// `Digest` and its parameters; each call counts the nonce up by one (`nc`, RFC 7616 section 3.4).
    ///
    /// - Throws: ``HTTPAuthenticatorError`` for control characters in the user or the target.
    public mutating func authorization(
        with credential: Credential, method: String, target: String
    ) throws(HTTPAuthenticatorError) -> String {
        guard case .password(let user, let password) = credential.kind else { throw .unsuitableCredential(.digest) }
        try user.refuseControlCharacters(in: .user)
        try target.refuseControlCharacters(in: .target)
        nonceCount += 1
        let count = String(nonceCount, radix: 16)
        let paddedCount = String(repeating: "0", count: 8 - count.count) + count
        // The key of a -sess algorithm is made with the first client nonce, so that one stays (section 3.4.2).
        let clientNonce = (algorithm.isSession ? sessionNonce : nil) ?? makeClientNonce()
        sessionNonce = clientNonce

        let key = key(user: user, password: password, clientNonce: clientNonce)
        let request = algorithm.hexDigest("\(method):\(target)")
        let proof =
            usesQualityOfProtection
            ? "\(key):\(nonce):\(paddedCount):\(clientNonce):auth:\(request)" : "\(key):\(nonce):\(request)"

        // Some cameras refuse quotes around algorithm, qop and nc; the standard wants none either.
        var fields = [userField(user), "realm=\(quoted(realm))", "nonce=\(quoted(nonce))", "uri=\(quoted(target))"]
        fields.append("response=\"\(algorithm.hexDigest(proof))\"")
        if let algorithmName { fields.append("algorithm=\(algorithmName)") }
        if usesQualityOfProtection { fields += ["qop=auth", "nc=\(paddedCount)"] }
        if usesQualityOfProtection || algorithm.isSession { fields.append("cnonce=\(quoted(clientNonce))") }
        if let opaque { fields.append("opaque=\(quoted(opaque))") }
        if hashesUser { fields.append("userhash=true") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// H(A1), section 3.4.2.
    private func key(user: String, password: Secret, clientNonce: String) -> String {
        let key = algorithm.hexDigest { feed in
            Array("\(user):\(realm):".utf8).withUnsafeBytes(feed)
            password.withUnsafeBytes(feed)
        }
        return algorithm.isSession ? algorithm.hexDigest("\(key):\(nonce):\(clientNonce)") : key
    }

    /// Section 3.4.4 for `userhash`, section 3.4 for `username*`.
    private func userField(_ user: String) -> String {
        if hashesUser { return "username=\"\(algorithm.hexDigest("\(user):\(realm)"))\"" }
        guard acceptsExtendedUser, !user.utf8.allSatisfy({ $0 < 0x80 }) else { return "username=\(quoted(user))" }
        return "username*=UTF-8''\(user.percentEncodedForExtendedValue)"
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    @Sendable private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return DigestAlgorithm.hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

extension String {
    /// An ext-value's characters (RFC 8187 section 3.2.1).
    fileprivate var percentEncodedForExtendedValue: String {
        utf8.map { byte in
            let scalar = Character(Unicode.Scalar(byte))
            return byte < 0x80 && (scalar.isLetter || scalar.isNumber || "!#$&+-.^_`|~".contains(scalar))
                ? String(scalar) : "%" + DigestAlgorithm.hexadecimal([byte]).uppercased()
        }.joined()
    }
}
