// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets

/// The client side of one HTTP scheme in one protection space (RFC 9110 section 11), including the scheme's state, such
/// as a nonce and a counter.
///
/// An authenticator is a value: the copy that answered a request also reads the response to it. A new scheme needs only
/// ``authorization(with:for:)``, and is registered in an ``AuthenticatorRegistry``. Such a scheme authenticates
/// requests; only NTLM and Negotiate authenticate connections (``AuthenticationMethod/isConnectionBound``).
public protocol HTTPAuthenticator: Sendable {
    /// Returns the value of the `Authorization` or `Proxy-Authorization` field for one request.
    ///
    /// - Parameters:
    ///   - credential: The credential for the answer.
    ///   - request: The facts of the request.
    /// - Returns: The field's value, which begins with the scheme.
    /// - Throws: ``HTTPAuthenticatorError`` if the scheme cannot use the credential.
    mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String

    /// Whether creating an answer may block, because it needs the system, the network or much computation.
    ///
    /// The session then calls the authenticator on a thread that may block.
    var mayBlock: Bool { get }

    /// Whether the server never accepts the most recent answer without a further one, so that the request's body can be
    /// withheld.
    var withholdsBody: Bool { get }

    /// Whether ``receive(_:with:)`` needs the body of the response.
    var checksResponseBody: Bool { get }

    /// Whether the scheme reads `Authentication-Info` (RFC 7615), so that a malformed field is an error.
    var readsAuthenticationInfo: Bool { get }

    /// Returns whether a challenge for the same protection space only requires another answer with the same credential,
    /// for example because of a new nonce.
    ///
    /// - Parameter challenge: The challenge in response to the last answer.
    /// - Returns: `false` if the challenge rejects the credential.
    func isRenewed(by challenge: HTTPChallenge) -> Bool

    /// Reads the server's data in the response that accepts the credential.
    ///
    /// - Parameters:
    ///   - response: The facts of the response.
    ///   - credential: The credential of the answer.
    /// - Returns: Whether the state for later answers has changed, so that the session stores this copy.
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof`` if the server does not prove that it knows the secret, and
    ///   ``HTTPAuthenticatorError/malformedServerMessage`` if its message is malformed.
    mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool

    /// Reads a challenge in response to the last answer.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - credential: The credential of the answer.
    /// - Returns: Whether the challenge is the next step of the same exchange; if not, it rejects the answer.
    /// - Throws: ``HTTPAuthenticatorError`` if the challenge is malformed, or requires something that the scheme does
    ///   not allow.
    mutating func advance(
        with challenge: HTTPChallenge, credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool
}

extension HTTPAuthenticator {
    /// Always `false`: most schemes compute their answers quickly.
    public var mayBlock: Bool { false }

    /// Always `false`: with most schemes, a server may accept the first answer, and then needs the body.
    public var withholdsBody: Bool { false }

    /// Always `false`: most schemes do not check the body of the response.
    public var checksResponseBody: Bool { false }

    /// Always `false`: most schemes do not use that field.
    public var readsAuthenticationInfo: Bool { false }

    /// Returns `false`: with most schemes, answers do not expire.
    public func isRenewed(by challenge: HTTPChallenge) -> Bool { false }

    /// Returns `false` without a check: with most schemes, the server sends no proof.
    public mutating func receive(
        _ response: AcceptedResponse, with credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool { false }

    /// Returns `false`: most schemes have one step.
    public mutating func advance(
        with challenge: HTTPChallenge, credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool { false }
}

/// The facts of a request that a scheme may use in its answer.
public struct RequestFacts: Hashable, Sendable {
    /// The request's method, as sent.
    public let method: String
    /// The request-target: path and query, or for CONNECT the authority.
    public let target: String
    /// The body to send, empty for none; `nil` if it is streamed, so that it is unknown beforehand.
    public let body: [UInt8]?
    /// The host of the origin or the proxy that sent the challenge: a name or an address.
    public package(set) var host: String
    /// The binding of the answer to the TLS connection with the server or proxy; `nil` without TLS.
    public let channelBinding: ChannelBinding?

    /// Makes the facts of one request.
    ///
    /// - Parameters:
    ///   - method: The request's method, as sent.
    ///   - target: The request-target: path and query, or for CONNECT the authority.
    ///   - body: The complete body, empty for none; `nil` if it is streamed.
    ///   - host: The host of the origin or the proxy that sent the challenge.
    ///   - channelBinding: The binding to the connection; `nil` without TLS.
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
    /// The last step of the scheme's exchange, sent in a challenge field although the response is not a challenge (RFC
    /// 4559 section 5); `nil` if there is none.
    public let challenge: HTTPChallenge?
    /// The complete body if ``HTTPAuthenticator/checksResponseBody`` is `true`, otherwise `nil`.
    public let body: [UInt8]?

    /// Makes the facts of one response.
    public init(information: HTTPAuthenticationInfo? = nil, challenge: HTTPChallenge? = nil, body: [UInt8]? = nil) {
        self.information = information
        self.challenge = challenge
        self.body = body
    }
}

/// A cached field value that depends only on the credential,
/// so that it is created once and reused without an allocation.
///
/// It is redacted in descriptions. It is a class, so that an authenticator that holds one fits into an existential
/// container, which can then be copied cheaply.
final class CachedField: Sendable {
    let value: String
    private let kind: Credential.Kind

    init(_ value: String, for kind: Credential.Kind) {
        self.value = value
        self.kind = kind
    }

    /// Returns whether the value was created for a credential.
    func belongs(to kind: Credential.Kind) -> Bool { self.kind == kind }
}

extension CachedField: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }

    /// A mirror without children, so that `dump` prints no secret either.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sequence<UInt8> {
    /// Whether the bytes contain no CR, LF or NUL, which could end a line of a request and begin another one (RFC 9110
    /// section 5.5).
    package var isOneLine: Bool { allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
}

extension String {
    /// Whether the text contains no CR, LF or NUL.
    package var isOneLine: Bool { utf8.withContiguousStorageIfAvailable { $0.isOneLine } ?? utf8.isOneLine }
}

extension Secret {
    /// Whether the secret contains no CR, LF or NUL.
    package var isOneLine: Bool { withUnsafeBytes { $0.isOneLine } }
}
