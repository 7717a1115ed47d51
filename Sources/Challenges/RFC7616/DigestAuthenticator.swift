// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Digest authentication (RFC 7616), with `qop=auth`, `auth-int`, or, for servers older than RFC 2617, without.
///
/// User and password are hashed as the bytes that they are given in; where they are not ASCII, give them composed (NFC), as
/// section 4 has it.
public struct DigestAuthenticator: HTTPAuthenticator {
    /// What the key of a -sess algorithm is made with.
    private struct Session {
        let nonce: String
        let clientNonce: String
    }

    private let terms: DigestTerms
    private let nonceCounts: NonceCounts
    private let makeClientNonce: @Sendable () -> String
    private var nonce: String
    private var session: Session?
    private var sent: DigestAnswer?

    /// Reads a challenge; `nil` where the algorithm or every quality of protection is unknown.
    ///
    /// - Parameters:
    ///   - challenge: What the server said.
    ///   - nonceCounts: Shared by all that answer the same server.
    /// - Throws: ``HTTPAuthenticatorError/missingParameter(_:)`` without realm or nonce.
    public init?(
        _ challenge: HTTPChallenge, nonceCounts: NonceCounts = NonceCounts()
    ) throws(HTTPAuthenticatorError) {
        try self.init(challenge, nonceCounts: nonceCounts, makeClientNonce: Self.randomNonce)
    }

    init?(
        _ challenge: HTTPChallenge, nonceCounts: NonceCounts = NonceCounts(),
        makeClientNonce: @escaping @Sendable () -> String
    ) throws(HTTPAuthenticatorError) {
        guard let terms = try DigestTerms(challenge) else { return nil }
        self.terms = terms
        self.nonceCounts = nonceCounts
        self.makeClientNonce = makeClientNonce
        nonce = terms.nonce
    }

    /// `Digest` and its parameters; each call counts the nonce up by one (`nc`, RFC 7616 section 3.4).
    ///
    /// - Throws: ``HTTPAuthenticatorError`` for control characters in the user or the target, and for `auth-int` where the
    ///   body is not known.
    public mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        guard case .password(let user, let password) = credential.kind else { throw .unsuitableCredential(.digest) }
        try user.refuseControlCharacters(in: .user)
        try request.target.refuseControlCharacters(in: .target)
        guard request.body != nil || terms.quality != .requestAndBody else { throw .unknownBody }
        let count = String(try nonceCounts.next(nonce), radix: 16)
        // A -sess algorithm keeps its first nonces until the next challenge (section 3.4.2).
        let clientNonce = session?.clientNonce ?? makeClientNonce()
        if terms.algorithm.isSession, session == nil { session = Session(nonce: nonce, clientNonce: clientNonce) }
        let answer = DigestAnswer(
            algorithm: terms.algorithm, quality: terms.quality, nonce: nonce,
            count: String(repeating: "0", count: 8 - count.count) + count, clientNonce: clientNonce,
            target: request.target)
        sent = answer
        let proof = answer.proof(
            key: key(user: user, password: password), method: request.method, body: request.body ?? [])
        return "Digest " + fields(of: answer, user: user, proof: proof).joined(separator: ", ")
    }

    /// Whether the response's content is vouched for too.
    public var checksResponseBody: Bool { sent?.quality == .requestAndBody }

    /// Checks the server's proof, `rspauth`, and takes its next nonce (RFC 7616 section 3.5).
    ///
    /// A server need not prove anything; one that tries must succeed.
    public mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool {
        guard let information = response.information else { return false }
        if let proof = information["rspauth"], let sent {
            guard case .password(let user, let password) = credential.kind else {
                throw .unsuitableCredential(.digest)
            }
            let expected = sent.proof(
                key: key(user: user, password: password), method: "", body: response.body ?? [])
            guard sent.agrees(with: information), Secret(proof.lowercased()) == Secret(expected) else {
                throw .wrongServerProof
            }
        }
        guard let next = information["nextnonce"], !next.isEmpty, next != nonce else { return false }
        nonce = next
        return true
    }

    /// Some cameras refuse quotes around algorithm, qop and nc; the standard wants none either.
    private func fields(of answer: DigestAnswer, user: String, proof: String) -> [String] {
        var fields = [
            userField(user), "realm=\(quoted(terms.realm))", "nonce=\(quoted(answer.nonce))",
            "uri=\(quoted(answer.target))", "response=\"\(proof)\"",
        ]
        if let name = terms.algorithmName { fields.append("algorithm=\(name)") }
        if let quality = answer.quality { fields += ["qop=\(quality.rawValue)", "nc=\(answer.count)"] }
        if answer.quality != nil || terms.algorithm.isSession { fields.append("cnonce=\(quoted(answer.clientNonce))") }
        if let opaque = terms.opaque { fields.append("opaque=\(quoted(opaque))") }
        if terms.hashesUser { fields.append("userhash=true") }
        return fields
    }

    /// H(A1), section 3.4.2.
    private func key(user: String, password: Secret) -> String {
        let algorithm = terms.algorithm
        let key = algorithm.hexDigest { feed in
            Array("\(user):\(terms.realm):".utf8).withUnsafeBytes(feed)
            password.withUnsafeBytes(feed)
        }
        guard let session else { return key }
        return algorithm.hexDigest("\(key):\(session.nonce):\(session.clientNonce)")
    }

    /// Section 3.4.4 for `userhash`, section 3.4 for `username*`.
    private func userField(_ user: String) -> String {
        if terms.hashesUser { return "username=\"\(terms.algorithm.hexDigest("\(user):\(terms.realm)"))\"" }
        guard terms.acceptsExtendedUser, !user.utf8.allSatisfy({ $0 < 0x80 }) else { return "username=\(quoted(user))" }
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
