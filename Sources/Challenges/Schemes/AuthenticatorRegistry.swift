// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Makes authenticators: of the methods that are built in, and of those that a program registers, each with a function.
public struct AuthenticatorRegistry: Sendable, ExpressibleByDictionaryLiteral {
    /// Makes the authenticator for a challenge of its method; `nil` where this challenge cannot be answered.
    public typealias Factory = @Sendable (HTTPChallenge) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)?

    private var factories: [AuthenticationMethod: Factory] = [:]

    /// A registry of the methods that are built in.
    public init() {}

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

    /// Makes the authenticator for a challenge, of a method that is registered or built in.
    ///
    /// - Parameters:
    ///   - challenge: What the server said.
    ///   - nonceCounts: Shared by all that answer the same server, so that no nonce is used twice with one count.
    ///   - scramIterationLimit: The largest iteration count of SCRAM that is answered.
    /// - Returns: `nil` where the scheme, its algorithm or its quality of protection is none that is supported.
    /// - Throws: ``HTTPAuthenticatorError`` where the challenge lacks what an answer needs.
    public func authenticator(
        for challenge: HTTPChallenge, nonceCounts: @autoclosure () -> NonceCounts = NonceCounts(),
        scramIterationLimit: Int = SCRAMAuthenticator.iterationLimit
    ) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)? {
        if let make = factories[challenge.method] { return try make(challenge) }
        let scheme = KnownScheme.all.first { $0.method == challenge.method }
        return try scheme?.make?(challenge, nonceCounts, scramIterationLimit)
    }
}
