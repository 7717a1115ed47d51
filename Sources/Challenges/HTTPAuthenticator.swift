// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Answers the challenges of one HTTP scheme in one protection space, and remembers what the scheme must (a nonce, a counter).
///
/// It is a value: the copy that answered a request is the one that reads the response to it. A scheme of your own needs only
/// ``authorization(with:for:)``; a session learns of it by ``AuthenticatorRegistry``. It authenticates requests: those that authenticate
/// connections are NTLM and Negotiate alone (``AuthenticationMethod/isConnectionBound``).
public protocol HTTPAuthenticator: Sendable {
    /// The value of the `Authorization` or `Proxy-Authorization` field for one request.
    ///
    /// - Parameters:
    ///   - credential: What the handler gave.
    ///   - request: What the answer is for.
    /// - Returns: The field's value, scheme first.
    /// - Throws: ``HTTPAuthenticatorError`` where the scheme cannot carry the credential.
    mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String

    /// Whether answers may take long, because the system or the network is asked; they are then made on a thread that may block.
    var mayBlock: Bool { get }

    /// Whether the answer made last is one that the server never accepts as it is, so that the request's body can wait.
    var withholdsBody: Bool { get }

    /// Whether ``receive(_:with:)`` has to see what the response holds.
    var checksResponseBody: Bool { get }

    /// Whether the server's `Authentication-Info` has to make sense (RFC 7615), because the scheme reads it.
    var readsAuthenticationInfo: Bool { get }

    /// Whether a challenge for the same protection space only asks for another answer from the same credential, as a new nonce does.
    ///
    /// - Parameter challenge: What the server said to the last answer.
    /// - Returns: `false` where the answer was rejected.
    func isRenewed(by challenge: HTTPChallenge) -> Bool

    /// Reads what the server says with the response that let the request through.
    ///
    /// - Parameters:
    ///   - response: What it says of itself and of the next request.
    ///   - credential: What the answer was made with.
    /// - Returns: Whether later answers differ, so that this copy is the one to keep.
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof`` where the server does not know the secret.
    mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool

    /// Reads a challenge that came in reply to the last answer.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - credential: What the answer was made with.
    /// - Returns: Whether it is the next step of the same exchange; if not, the answer was rejected.
    /// - Throws: ``HTTPAuthenticatorError`` where the step makes no sense or asks for too much.
    mutating func advance(
        with challenge: HTTPChallenge, credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool
}

extension HTTPAuthenticator {
    /// `false`: most answers are only computed.
    public var mayBlock: Bool { false }

    /// `false`: most answers may be the last.
    public var withholdsBody: Bool { false }

    /// `false`: most schemes say nothing about the response.
    public var checksResponseBody: Bool { false }

    /// `false`: most schemes have nothing to read there.
    public var readsAuthenticationInfo: Bool { false }

    /// `false`: most answers do not expire.
    public func isRenewed(by challenge: HTTPChallenge) -> Bool { false }

    /// The authenticator checks nothing and keeps its state.
    public mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool { false }

    /// Most schemes have one step.
    public mutating func advance(
        with challenge: HTTPChallenge, credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool { false }
}

/// The facts of a request that a scheme may need for its answer.
public struct RequestFacts: Hashable, Sendable {
    /// The request's method, as sent.
    public let method: String
    /// The request-target: path and query, or for CONNECT the authority.
    public let target: String
    /// The content that will be sent, empty for none; `nil` if it is streamed, so that it is not known beforehand.
    public let body: [UInt8]?
    /// The host that asks, by the name that it is known by: an origin's, or a proxy's.
    public let host: String
    /// The binding of an answer to the TLS connection with the server or proxy that asks; `nil` without TLS.
    public let channelBinding: ChannelBinding?

    /// The facts of one request.
    ///
    /// - Parameters:
    ///   - method: The method, as sent.
    ///   - target: The path and query, or for CONNECT the authority.
    ///   - body: The whole content, empty for none; `nil` where it is streamed.
    ///   - host: Of the one that asks.
    ///   - channelBinding: Of the connection that the answer is for.
    public init(
        method: String, target: String, body: [UInt8]? = [], host: String = "", channelBinding: ChannelBinding? = nil
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.host = host
        self.channelBinding = channelBinding
    }
}

/// What a server sends with the response that accepts the credential.
public struct AcceptedResponse: Sendable {
    /// The authentication information of the server (RFC 7615); `nil` if the response has none.
    public let information: HTTPAuthenticationInfo?
    /// The last step of the scheme's exchange, which comes in a challenge's field though nothing is challenged any more (RFC 4559
    /// section 5); `nil` where there is none.
    public let challenge: HTTPChallenge?
    /// The whole content where ``HTTPAuthenticator/checksResponseBody`` asks for it, otherwise `nil`.
    public let body: [UInt8]?

    /// Makes the facts of one response.
    public init(information: HTTPAuthenticationInfo? = nil, challenge: HTTPChallenge? = nil, body: [UInt8]? = nil) {
        self.information = information
        self.challenge = challenge
        self.body = body
    }
}
