// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Synchronization

/// The Digest scheme (RFC 7616), with `qop=auth`, `qop=auth-int` or, for servers older than RFC 2617, without `qop`.
///
/// User and password are hashed as the bytes that the caller passes. Text that is not ASCII should be composed (NFC),
/// as RFC 7616 section 4 requires.
public struct HTTPDigestAuthenticator: HTTPAuthenticator {
    private let terms: DigestTerms
    private let nonceCounts: NonceCounts
    private let makeClientNonce: @Sendable () -> String
    private var nonce: String
    private var session: DigestAccount.Session?
    private var account: DigestAccount?
    private var sent: DigestAnswer?

    /// Makes an authenticator for a challenge; the result is `nil` if the algorithm or every quality of
    /// protection is unknown.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - nonceCounts: The counts of nonces, which all authenticators for the same server share.
    /// - Throws: ``HTTPAuthenticatorError/missingParameter(_:)`` for a challenge without `nonce`.
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

    /// Always `true`: in that field the server proves that it knows the password, and may send the next nonce.
    public var readsAuthenticationInfo: Bool { true }

    /// Returns whether a challenge requires an equally strong answer with another nonce (RFC 7616 section 3.3).
    public func isRenewed(by challenge: HTTPChallenge) -> Bool {
        guard let terms = try? DigestTerms(challenge) else { return false }
        return terms.algorithm == self.terms.algorithm && (terms.quality != nil || self.terms.quality == nil)
    }

    /// Returns `Digest` and its parameters.
    ///
    /// Each call increments the count of the nonce by one (`nc`, RFC 7616 section 3.4).
    ///
    /// - Throws: ``HTTPAuthenticatorError/controlCharacter(_:)`` for control characters in the user or the target,
    ///   ``HTTPAuthenticatorError/unknownBody`` for `auth-int` with a streamed body,
    ///   ``HTTPAuthenticatorError/nonceExhausted`` after 2^32 - 1 uses of a nonce;
    ///   ``HTTPAuthenticatorError/unsuitableCredential(_:)`` for another kind of credential.
    public mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        try request.target.refuseControlCharacters(in: .target)
        guard request.body != nil || terms.quality != .requestAndBody else { throw .unknownBody }
        guard case .password(let user, _) = credential.kind else { throw .unsuitableCredential(.digest) }
        try user.refuseControlCharacters(in: .user)
        let count = String(try nonceCounts.next(nonce), radix: 16)
        // A -sess algorithm keeps its first nonces until the next challenge (section 3.4.2).
        let clientNonce = session?.clientNonce ?? makeClientNonce()
        if terms.algorithm.isSession, session == nil { session = .init(nonce: nonce, clientNonce: clientNonce) }
        let account = try account(of: credential)
        let answer = DigestAnswer(
            algorithm: terms.algorithm, quality: terms.quality, nonce: nonce,
            count: String(repeating: "0", count: 8 - count.count) + count, clientNonce: clientNonce,
            target: request.target)
        sent = answer
        let proof = answer.proof(key: account.key, method: request.method, body: request.body ?? [])
        return field(of: answer, opening: account.opening, proof: proof)
    }

    /// Whether the server's proof also covers the body of the response (`qop=auth-int`).
    public var checksResponseBody: Bool { sent?.quality == .requestAndBody }

    /// Checks the server's proof, `rspauth`, and reads its next nonce (RFC 7616 section 3.5).
    ///
    /// A server may omit the proof. A wrong proof is an error.
    ///
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof`` if the proof is wrong;
    ///   ``HTTPAuthenticatorError/unsuitableCredential(_:)`` for another kind of credential.
    public mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool {
        guard let information = response.information else { return false }
        if let proof = information["rspauth"], let sent {
            let expected = sent.proof(
                key: try account(of: credential).key, method: "", body: response.body ?? [])
            guard sent.agrees(with: information), Secret(proof.lowercased()) == Secret(expected.description) else {
                throw .wrongServerProof
            }
        }
        guard let next = information["nextnonce"], !next.isEmpty, next != nonce else { return false }
        nonce = next
        return true
    }

    /// Returns the field of an answer, with algorithm, qop and nc unquoted: some cameras reject quotes there, and the
    /// standard forbids them.
    private func field(of answer: DigestAnswer, opening: String, proof: HexDigest) -> String {
        var field = ""
        field.reserveCapacity(opening.utf8.count + answer.nonce.utf8.count + answer.target.utf8.count + fixedLength)
        field += opening
        field.append(quoting: answer.nonce)
        field += ", uri="
        field.append(quoting: answer.target)
        field += ", response=\""
        proof.append(to: &field)
        field += "\""
        if let name = terms.algorithmName {
            field += ", algorithm="
            field += name
        }
        if let quality = answer.quality {
            field += quality == .request ? ", qop=auth, nc=" : ", qop=auth-int, nc="
            field += answer.count
        }
        if answer.quality != nil || terms.algorithm.isSession {
            field += ", cnonce="
            field.append(quoting: answer.clientNonce)
        }
        if let opaque = terms.opaque {
            field += ", opaque="
            field.append(quoting: opaque)
        }
        if terms.hashesUser { field += ", userhash=true" }
        return field
    }

    /// The reserved capacity for the rest of the field: names, a proof of 64 digits, and a client nonce.
    private var fixedLength: Int { 192 + (terms.algorithmName?.utf8.count ?? 0) + (terms.opaque?.utf8.count ?? 0) }

    private mutating func account(of credential: Credential) throws(HTTPAuthenticatorError) -> DigestAccount {
        guard case .password(let user, let password) = credential.kind else { throw .unsuitableCredential(.digest) }
        if let account, account.belongs(to: user, password) { return account }
        let made = DigestAccount(user: user, password: password, terms: terms, session: session)
        account = made
        return made
    }

    /// Returns 90 random bits in 15 characters, which a `String` stores without an allocation.
    @Sendable private static func randomNonce() -> String {
        let words = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return String(unsafeUninitializedCapacity: 15) { characters in
            for index in 0..<15 {
                let word = index < 10 ? words.0 >> (6 * index) : words.1 >> (6 * index - 60)
                characters[index] = nonceAlphabet[Int(word & 63)]
            }
            return 15
        }
    }

    private static let nonceAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}

/// The number of answers to each nonce of one server (`nc`, RFC 7616 section 3.4),
/// counted so that no count is used twice.
///
/// Servers reuse nonces: in answers to simultaneous requests, in `nextnonce`, or because they have only one.
public final class NonceCounts: Sendable {
    /// The maximum number of stored nonces.
    ///
    /// Above it, the oldest nonces are removed.
    public static let limit = 1_024

    private struct State {
        var counts: [String: UInt32] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// Makes empty counts.
    public init() {}

    /// Returns the count of the next answer, which is 1 for a nonce's first.
    ///
    /// - Throws: ``HTTPAuthenticatorError/nonceExhausted`` after 2^32 - 1.
    func next(_ nonce: String) throws(HTTPAuthenticatorError) -> UInt32 {
        let count = state.withLock { state -> UInt32? in
            let (next, isExhausted) = (state.counts[nonce] ?? 0).addingReportingOverflow(1)
            guard !isExhausted else { return nil }
            if state.counts.updateValue(next, forKey: nonce) == nil {
                state.order.append(nonce)
                if state.order.count > Self.limit { state.counts[state.order.removeFirst()] = nil }
            }
            return next
        }
        guard let count else { throw .nonceExhausted }
        return count
    }
}

/// The parameters of a Digest challenge (RFC 7616 section 3.3).
struct DigestTerms {
    /// The quality of protection (`qop`): the parts of the message that the proof covers.
    enum Quality: String {
        case request = "auth"
        case requestAndBody = "auth-int"
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// The algorithm's name in the server's spelling; `nil` if the challenge has none.
    let algorithmName: String?
    /// The quality of protection; `nil` for servers older than RFC 2617.
    let quality: Quality?
    let hashesUser: Bool
    let acceptsExtendedUser: Bool

    /// Reads a challenge; the result is `nil` if the algorithm or every quality of protection is unknown.
    ///
    /// `auth` is preferred over `auth-int`: some servers list `auth-int` although it was never used with them.
    init?(_ challenge: HTTPChallenge) throws(HTTPAuthenticatorError) {
        guard let algorithm = DigestAlgorithm(challenge["algorithm"]) else { return nil }
        let offered = (challenge["qop"] ?? "").utf8.split { ", \t".utf8.contains($0) }
            .map { String(decoding: $0, as: UTF8.self).lowercased() }
        quality = [.request, .requestAndBody].first { offered.contains($0.rawValue) }
        guard offered.isEmpty || quality != nil else { return nil }
        guard let nonce = challenge["nonce"] else { throw .missingParameter("nonce") }
        // Some devices omit the realm, and hash an empty one.
        realm = challenge.realm ?? ""
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = challenge["opaque"]
        algorithmName = challenge["algorithm"]
        hashesUser = challenge["userhash"]?.lowercased() == "true"
        acceptsExtendedUser = challenge["charset"]?.lowercased() == "utf-8"
    }
}

/// The parameters of one answer, without the secret, for its proof and for the check of the server's proof.
struct DigestAnswer {
    let algorithm: DigestAlgorithm
    let quality: DigestTerms.Quality?
    let nonce: String
    /// The nonce count in eight hexadecimal digits.
    let count: String
    let clientNonce: String
    let target: String

    /// Returns `response` (RFC 7616 section 3.4.1) or, with an empty method, `rspauth` (section 3.5).
    ///
    /// - Parameters:
    ///   - key: H(A1).
    ///   - method: The method of the request.
    ///   - body: The body, which `auth-int` covers.
    /// - Returns: The hash in hexadecimal.
    func proof(key: Secret, method: String, body: [UInt8]) -> HexDigest {
        let subject = algorithm.digest { feed in
            method.lendBytes(to: feed)
            ":".lendBytes(to: feed)
            target.lendBytes(to: feed)
            guard quality == .requestAndBody else { return }
            ":".lendBytes(to: feed)
            algorithm.digest { feed in body.withUnsafeBytes(feed) }.withUnsafeBytes(feed)
        }
        return algorithm.digest { feed in
            key.withUnsafeBytes(feed)
            ":".lendBytes(to: feed)
            nonce.lendBytes(to: feed)
            if let quality {
                ":".lendBytes(to: feed)
                count.lendBytes(to: feed)
                ":".lendBytes(to: feed)
                clientNonce.lendBytes(to: feed)
                ":".lendBytes(to: feed)
                quality.rawValue.lendBytes(to: feed)
            }
            ":".lendBytes(to: feed)
            subject.withUnsafeBytes(feed)
        }
    }

    /// Returns whether the parameters that the server repeats equal those of this answer.
    func agrees(with information: HTTPAuthenticationInfo) -> Bool {
        let repeated = [("cnonce", clientNonce), ("nc", count), ("qop", quality?.rawValue ?? "")]
        return repeated.allSatisfy { name, sent in
            information[name].map { $0 == sent || (name != "cnonce" && $0.lowercased() == sent) } ?? true
        }
    }
}
