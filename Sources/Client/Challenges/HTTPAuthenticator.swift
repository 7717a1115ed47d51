// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets

/// Answers the challenges of one HTTP scheme in one protection space (RFC 9110 section 11), and keeps the scheme's state, such as a nonce
/// and a counter.
///
/// An authenticator is a value: the copy that answered a request is the one that reads the response to it. A new scheme needs only
/// ``authorization(with:for:)``, and is registered in an ``AuthenticatorRegistry``. Such a scheme authenticates requests; only NTLM and
/// Negotiate authenticate connections (``AuthenticationMethod/isConnectionBound``).
public protocol HTTPAuthenticator: Sendable {
    /// Returns the value of the `Authorization` or `Proxy-Authorization` field for one request.
    ///
    /// - Parameters:
    ///   - credential: The credential to answer with.
    ///   - request: The facts of the request that the answer is for.
    /// - Returns: The field's value, scheme first.
    /// - Throws: ``HTTPAuthenticatorError`` where the scheme cannot carry the credential.
    mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String

    /// Whether making an answer may take long, because it needs the system, the network or much computing. The session then calls the
    /// authenticator on a thread that may block.
    var mayBlock: Bool { get }

    /// Whether the server never accepts the answer made last without a further one, so that the request's body can wait.
    var withholdsBody: Bool { get }

    /// Whether ``receive(_:with:)`` needs the content of the response.
    var checksResponseBody: Bool { get }

    /// Whether the scheme reads `Authentication-Info` (RFC 7615). A malformed one is then an error.
    var readsAuthenticationInfo: Bool { get }

    /// Returns whether a challenge for the same protection space only asks for another answer from the same credential, as a new nonce
    /// does.
    ///
    /// - Parameter challenge: The challenge that came in reply to the last answer.
    /// - Returns: `false` where the challenge rejects the credential.
    func isRenewed(by challenge: HTTPChallenge) -> Bool

    /// Reads what the server sends with the response that accepts the credential.
    ///
    /// - Parameters:
    ///   - response: The facts of the response.
    ///   - credential: The credential that the answer was made with.
    /// - Returns: Whether later answers differ, so that this copy is the one to keep.
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof`` where the server does not prove that it knows the secret, and
    ///   ``HTTPAuthenticatorError/malformedServerMessage`` where its message cannot be read.
    mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool

    /// Reads a challenge that came in reply to the last answer.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - credential: The credential that the answer was made with.
    /// - Returns: Whether the challenge is the next step of the same exchange; if not, it rejects the answer.
    /// - Throws: ``HTTPAuthenticatorError`` where the challenge cannot be read, or asks for something that the scheme refuses.
    mutating func advance(
        with challenge: HTTPChallenge, credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool
}

extension HTTPAuthenticator {
    /// Returns `false`: most schemes compute their answers quickly.
    public var mayBlock: Bool { false }

    /// Returns `false`: with most schemes a server may accept every answer.
    public var withholdsBody: Bool { false }

    /// Returns `false`: most schemes do not check the content of the response.
    public var checksResponseBody: Bool { false }

    /// Returns `false`: most schemes do not use that field.
    public var readsAuthenticationInfo: Bool { false }

    /// Returns `false`: with most schemes answers do not expire.
    public func isRenewed(by challenge: HTTPChallenge) -> Bool { false }

    /// Returns `false`, and checks nothing: with most schemes the server proves nothing.
    public mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool { false }

    /// Returns `false`: most schemes have one step.
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
    /// The host of the origin or the proxy that sent the challenge, a name or an address.
    public package(set) var host: String
    /// The binding of an answer to the TLS connection with the server or proxy that asks; `nil` without TLS.
    public let channelBinding: ChannelBinding?

    /// Makes the facts of one request.
    ///
    /// - Parameters:
    ///   - method: The request's method, as sent.
    ///   - target: The request-target: path and query, or for CONNECT the authority.
    ///   - body: The whole content, empty for none; `nil` where it is streamed.
    ///   - host: The host of the origin or the proxy that sent the challenge.
    ///   - channelBinding: The binding of the connection that the answer is for; `nil` without TLS.
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

/// The facts of the response that accepts a credential.
public struct AcceptedResponse: Sendable {
    /// The authentication information of the server (RFC 7615); `nil` if the response has none.
    public let information: HTTPAuthenticationInfo?
    /// The last step of the scheme's exchange, which comes in a challenge's field although the response is no challenge (RFC 4559 section
    /// 5); `nil` where there is none.
    public let challenge: HTTPChallenge?
    /// The whole content where ``HTTPAuthenticator/checksResponseBody`` is `true`, otherwise `nil`.
    public let body: [UInt8]?

    /// Makes the facts of one response.
    public init(information: HTTPAuthenticationInfo? = nil, challenge: HTTPChallenge? = nil, body: [UInt8]? = nil) {
        self.information = information
        self.challenge = challenge
        self.body = body
    }
}

/// A field's value that depends on nothing but the credential: made once, and handed out again without allocating.
///
/// It lives as long as the credential beside it, and prints no more. A reference, so that an authenticator that holds one fits into
/// an existential, which then can be copied for nothing.
final class MadeField: Sendable {
    let value: String
    private let kind: Credential.Kind

    init(_ value: String, for kind: Credential.Kind) {
        self.value = value
        self.kind = kind
    }

    /// Whether it was made for this.
    func belongs(to kind: Credential.Kind) -> Bool { self.kind == kind }
}

extension MadeField: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }

    /// Shows no children, so that `dump` prints no secret either.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sequence<UInt8> {
    /// Whether there is no CR, LF or NUL: each of them could end a line of a request, and begin another (RFC 9110 section 5.5).
    package var isOneLine: Bool { allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
}

extension String {
    /// Whether there is no CR, LF or NUL.
    package var isOneLine: Bool { utf8.withContiguousStorageIfAvailable { $0.isOneLine } ?? utf8.isOneLine }
}

extension Secret {
    /// Whether there is no CR, LF or NUL.
    package var isOneLine: Bool { withUnsafeBytes { $0.isOneLine } }
}
