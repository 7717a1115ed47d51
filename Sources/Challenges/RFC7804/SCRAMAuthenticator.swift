// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// SCRAM-SHA-256 (RFC 7804): two answers, and a proof of the server's that must come with its acceptance.
///
/// User and password are prepared by SASLprep (RFC 4013). Every request pays for a whole exchange, though
/// not for the work on the password again: reauthentication (`sr`, section 5.1) is not done, because its count goes up with each
/// success, which requests that are sent at once cannot know.
public struct SCRAMAuthenticator: HTTPAuthenticator {
    /// The largest iteration count that is answered unless a caller raises it: about one second of work on one core.
    ///
    /// RFC 7677 section 4 demands 4,096 at least. The count is the server's choice, and this side does the work before it knows
    /// whether the server knows the password.
    public static let iterationLimit = 200_000

    private let realm: String?
    private let iterationLimit: Int
    private let makeNonce: @Sendable () -> String
    private var exchange: SCRAMExchange?
    private var key: SCRAMKey?
    /// The server's name for the exchange, and what it is told next.
    private var next: (sessionID: String, message: String)?
    /// The exchange that awaits the server's proof.
    private var sessionID: String?

    /// `true`: the server proves there that it knows the password.
    public var readsAuthenticationInfo: Bool { true }

    /// Reads a challenge that opens an exchange; one that carries a message opens none, and is `nil`.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - iterationLimit: The largest iteration count that is answered; less than 4,096 counts as 4,096.
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

    /// `true`: the server chooses how much work the password is.
    public var mayBlock: Bool { true }

    /// client-first-message, or after a step of the server's client-final-message.
    ///
    /// - Throws: ``HTTPAuthenticatorError`` for a user or password that SASLprep refuses.
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

    /// Takes server-first-message, and makes the next answer of it.
    ///
    /// - Throws: ``HTTPAuthenticatorError`` where it makes no sense or asks for too little or too much work.
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

    /// Checks the server's proof; without one nothing was proven (RFC 7804 section 5).
    ///
    /// A server that was content with the first message asked for nothing, and has nothing to prove.
    ///
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof``.
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

    private static func encoded(_ message: String) -> String { Data(message.utf8).base64EncodedString() }

    private static func decoded(_ data: String) throws(HTTPAuthenticatorError) -> String {
        guard let bytes = Data(base64Encoded: data), let message = String(validating: bytes, as: UTF8.self) else {
            throw .malformedServerMessage
        }
        return message
    }

    @Sendable private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<18).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
    }
}
