// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The schemes of HTTP beyond those that are built in, each with what makes an authenticator of a challenge.
public struct HTTPSchemes: Sendable, ExpressibleByDictionaryLiteral {
    /// Makes the authenticator for a challenge of its scheme; `nil` where this one cannot be answered.
    public typealias Maker = @Sendable (HTTPChallenge) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)?

    private var makers: [AuthenticationMethod: Maker]

    /// Registers schemes by method; the last one counts where a method comes twice.
    public init(dictionaryLiteral elements: (AuthenticationMethod, Maker)...) {
        makers = Dictionary(elements) { _, last in last }
    }

    /// What answers a scheme; one that is built in is replaced.
    public subscript(method: AuthenticationMethod) -> Maker? {
        get { makers[method] }
        set { makers[method] = newValue }
    }

    /// What is registered.
    package var methods: Set<AuthenticationMethod> { Set(makers.keys) }

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
        if let make = makers[challenge.method] { return try make(challenge) }
        // Only Digest counts nonces; a server that asks for another scheme leaves nothing behind.
        return try HTTPAuthenticators.authenticator(
            for: challenge, nonceCounts: challenge.method == .digest ? nonceCounts() : NonceCounts(),
            scramIterationLimit: scramIterationLimit)
    }
}
