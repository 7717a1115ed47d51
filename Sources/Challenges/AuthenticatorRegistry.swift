// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Authentication methods that are not built in, each with a function that makes an authenticator for a challenge.
public struct AuthenticatorRegistry: Sendable, ExpressibleByDictionaryLiteral {
    /// Makes the authenticator for a challenge of its method; `nil` where this challenge cannot be answered.
    public typealias Factory = @Sendable (HTTPChallenge) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)?

    private var factories: [AuthenticationMethod: Factory]

    /// Registers functions by method; of two for one method the last counts.
    public init(dictionaryLiteral elements: (AuthenticationMethod, Factory)...) {
        factories = Dictionary(elements) { _, last in last }
    }

    /// The function of a method, in the place of one that is built in.
    public subscript(method: AuthenticationMethod) -> Factory? {
        get { factories[method] }
        set { factories[method] = newValue }
    }

    /// The methods that are registered.
    package var methods: Set<AuthenticationMethod> { Set(factories.keys) }

    /// Makes the authenticator for a challenge.
    ///
    /// - Parameters:
    ///   - challenge: What the server said.
    ///   - nonceCounts: Shared by all that answer the same server, so that no nonce is used twice with one count.
    ///   - scramIterationLimit: The largest iteration count of SCRAM that is answered.
    /// - Returns: `nil` where the scheme, its algorithm or its quality of protection is none that is supported.
    /// - Throws: ``HTTPAuthenticatorError`` where the challenge lacks what an answer needs.
    package func authenticator(
        for challenge: HTTPChallenge, nonceCounts: @autoclosure () -> NonceCounts, scramIterationLimit: Int
    ) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)? {
        if let make = factories[challenge.method] { return try make(challenge) }
        // Only Digest counts nonces; a server that asks for another scheme leaves nothing behind.
        return try HTTPAuthenticators.authenticator(
            for: challenge, nonceCounts: challenge.method == .digest ? nonceCounts() : NonceCounts(),
            scramIterationLimit: scramIterationLimit)
    }
}
