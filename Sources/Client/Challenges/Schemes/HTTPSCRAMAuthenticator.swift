// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// The SCRAM-SHA-256 scheme (RFC 7804): two answers, and a proof that the server must send when it accepts them.
///
/// User and password are prepared by SASLprep (RFC 4013). Every request needs a complete exchange, but the password's
/// key is derived again only if the server changes its salt or count. Reauthentication (`sr`, section 5.1) is not
/// supported, because its count increases with each success, which simultaneous requests cannot know.
public struct HTTPSCRAMAuthenticator: HTTPAuthenticator {
    /// The default maximum iteration count: 200,000, about one second of work on one core.
    ///
    /// RFC 7677 section 4 requires at least 4,096. The server chooses the count, and the client does the work before it
    /// knows whether the server knows the password.
    public static let iterationLimit = 200_000

    private let realm: String?
    private let iterationLimit: Int
    private let makeNonce: @Sendable () -> String
    private var exchange: SCRAMExchange?
    private var key: SCRAMKey?
    /// The server's identifier of the exchange, and the client's next message.
    private var next: (sessionID: String, message: String)?
    /// The identifier of the exchange that awaits the server's proof.
    private var sessionID: String?

    /// Always `true`: in that field the server proves that it knows the password.
    public var readsAuthenticationInfo: Bool { true }

    /// Starts an exchange for a challenge; the result is `nil` for a challenge with a message, which belongs to a
    /// running exchange.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - iterationLimit: The maximum accepted iteration count; less than 4,096 counts as 4,096.
    public init?(_ challenge: HTTPChallenge, iterationLimit: Int = Self.iterationLimit) {
        self.init(challenge, iterationLimit: iterationLimit, makeNonce: Self.randomNonce)
    }

    init?(
        _ challenge: HTTPChallenge, iterationLimit: Int = Self.iterationLimit,
        makeNonce: @escaping @Sendable () -> String
    ) {
        guard challenge["data"] == nil else { return nil }
        realm = challenge.realm
        self.iterationLimit = iterationLimit
        self.makeNonce = makeNonce
    }

    /// Always `true`: the server determines the computing time of the answer.
    public var mayBlock: Bool { true }

    /// Returns the field with client-first-message or, after the server's step, with client-final-message (RFC 5802
    /// section 5).
    ///
    /// - Throws: ``HTTPAuthenticatorError/unpreparable(_:_:)`` or ``HTTPAuthenticatorError/controlCharacter(_:)`` for a
    ///   user or password that SASLprep rejects; ``HTTPAuthenticatorError/unsuitableCredential(_:)`` for another kind
    ///   of credential.
    public mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        guard case .password(let user, let password) = credential.kind else {
            throw .unsuitableCredential(.scramSHA256)
        }
        if let next {
            self.next = nil
            sessionID = next.sessionID
            return "SCRAM-SHA-256 sid=\(next.sessionID), data=\(Self.encoded(next.message))"
        }
        let exchange = try SCRAMExchange(
            user: user, password: password, nonce: makeNonce(), key: key, iterationLimit: iterationLimit)
        self.exchange = exchange
        sessionID = nil
        let realm = realm.map { "realm=\($0.quotedForField), " }
        return "SCRAM-SHA-256 \(realm ?? "")data=\(Self.encoded(exchange.first))"
    }

    /// Reads server-first-message, and prepares the next answer.
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedServerMessage``, and
    ///   ``HTTPAuthenticatorError/iterationCount(_:allowed:)`` if the server's iteration count is too low or too high.
    public mutating func advance(
        with challenge: HTTPChallenge, credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool {
        guard sessionID == nil, next == nil, var exchange, let data = challenge["data"] else { return false }
        guard let sessionID = challenge["sid"], HTTPChallengeParser.isToken(sessionID) else {
            throw .malformedServerMessage
        }
        let message = try exchange.final(answering: Self.decoded(data))
        next = (sessionID, message)
        self.exchange = exchange
        key = exchange.key
        return true
    }

    /// Checks the server's proof, which is required (RFC 7804 section 5).
    ///
    /// A server that accepts the request after the first message has required no proof of the password, and need not
    /// send a proof itself.
    ///
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof`` if the proof is missing or wrong, and
    ///   ``HTTPAuthenticatorError/malformedServerMessage`` if it is not base64.
    public mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool {
        guard let exchange, let sessionID else { return false }
        guard let information = response.information, information["sid"] == sessionID, let data = information["data"]
        else {
            throw .wrongServerProof
        }
        try exchange.verify(Self.decoded(data))
        self.exchange = nil
        self.sessionID = nil
        return false
    }

    private static func encoded(_ message: String) -> String { Base64.encode(message.utf8) }

    private static func decoded(_ data: String) throws(HTTPAuthenticatorError) -> String {
        guard let bytes = Base64.decode(data, as: .mime), let message = String(validating: bytes, as: UTF8.self) else {
            throw .malformedServerMessage
        }
        return message
    }

    @Sendable private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64.encode((0..<18).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
