// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The factories of authenticators, for the built-in methods and for methods that a program registers.
public struct AuthenticatorRegistry: Sendable, ExpressibleByDictionaryLiteral {
    /// A closure that creates the authenticator for a challenge of its method; it returns `nil` if it cannot answer
    /// this challenge.
    public typealias Factory = @Sendable (HTTPChallenge) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)?

    private var factories: [AuthenticationMethod: Factory] = [:]

    /// Makes a registry with the built-in methods only.
    public init() {}

    /// Registers factories by method.
    ///
    /// If a method occurs several times, its factories are called in order until one returns an authenticator.
    public init(dictionaryLiteral elements: (AuthenticationMethod, Factory)...) {
        for (method, factory) in elements {
            if let first = factories[method] {
                factories[method] = Self.combine(first, factory)
            } else {
                factories[method] = factory
            }
        }
    }

    private static func combine(_ first: @escaping Factory, _ second: @escaping Factory) -> Factory {
        { challenge throws(HTTPAuthenticatorError) in
            if let authenticator = try first(challenge) { return authenticator }
            return try second(challenge)
        }
    }

    /// The factory that is registered for a method, which takes precedence over a built-in one;
    /// `nil` if none is registered.
    public subscript(method: AuthenticationMethod) -> Factory? {
        get { factories[method] }
        set { factories[method] = newValue }
    }

    /// The registered methods.
    package var methods: Set<AuthenticationMethod> { Set(factories.keys) }

    /// Whether challenges of Negotiate are answered with NTLM, because no factory for tickets is registered.
    package var negotiatesNTLM: Bool { factories[.negotiate] == nil }

    /// Returns the traits of a method with the registered factories.
    package func traits(of method: AuthenticationMethod) -> SchemeTraits {
        method == .negotiate && negotiatesNTLM ? AuthenticationMethod.ntlm.traits : method.traits
    }

    /// Returns whether an authenticator can be created for challenges of a method.
    package func supports(_ method: AuthenticationMethod) -> Bool {
        factories[method] != nil || KnownScheme.all.contains { $0.method == method && $0.make != nil }
    }

    /// Creates the authenticator for a challenge, with a registered or built-in method.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - nonceCounts: The counts of Digest nonces, which all authenticators for the same server share, so that no
    ///     count is used twice.
    ///   - scramIterationLimit: The maximum accepted SCRAM iteration count; less than 4,096 counts as 4,096.
    /// - Returns: The authenticator; `nil` if the scheme, its algorithm or its quality of protection is not supported.
    /// - Throws: ``HTTPAuthenticatorError`` if the challenge lacks a required parameter,
    ///   and errors of a registered factory.
    public func authenticator(
        for challenge: HTTPChallenge, nonceCounts: @autoclosure () -> NonceCounts = NonceCounts(),
        scramIterationLimit: Int = HTTPSCRAMAuthenticator.iterationLimit
    ) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)? {
        if let make = factories[challenge.method] { return try make(challenge) }
        let scheme = KnownScheme.all.first { $0.method == challenge.method }
        return try scheme?.make?(challenge, nonceCounts, scramIterationLimit)
    }
}

/// A built-in scheme; a new HTTP scheme adds its name to ``AuthenticationMethod`` and a line to the table ``all``.
struct KnownScheme: Sendable {
    /// A closure that creates the authenticator for a challenge, as ``AuthenticatorRegistry`` describes it.
    typealias Factory =
        @Sendable (HTTPChallenge, _ nonceCounts: () -> NonceCounts, _ scramIterationLimit: Int)
        throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)?

    let method: AuthenticationMethod
    let traits: SchemeTraits
    /// The factory; `nil` if only a program can register one.
    let make: Factory?

    private init(_ method: AuthenticationMethod, _ traits: SchemeTraits, make: Factory? = nil) {
        (self.method, self.traits, self.make) = (method, traits, make)
    }

    /// The HTTP schemes, the strongest first in the sense of ``MethodPreference``.
    static let all = [
        // Without a registered factory for tickets, the server may nevertheless accept NTLM under this scheme.
        Self(
            .negotiate,
            SchemeTraits(carries: [.password, .currentUser], isConnectionBound: true, allowsPreemptiveUse: true)
        ) { challenge, _, _ in HTTPNTLMAuthenticator(challenge) },
        Self(.scramSHA256, SchemeTraits(carries: .password)) { challenge, _, iterationLimit in
            HTTPSCRAMAuthenticator(challenge, iterationLimit: iterationLimit)
        },
        // Only Digest counts nonces; other schemes create no counts.
        Self(.digest, SchemeTraits(carries: .password, listsTargets: true)) {
            challenge, nonceCounts, _ throws(HTTPAuthenticatorError) in
            try HTTPDigestAuthenticator(challenge, nonceCounts: nonceCounts())
        },
        Self(
            .ntlm,
            SchemeTraits(
                carries: .password, isConnectionBound: true, mayChallengeEachRequest: false, allowsPreemptiveUse: true,
                needsTLS: true)
        ) { challenge, _, _ in HTTPNTLMAuthenticator(challenge) },
        Self(.bearer, SchemeTraits(carries: .token, allowsPreemptiveUse: true)) { _, _, _ in HTTPBearerAuthenticator()
        },
        Self(.basic, SchemeTraits(carries: .password, allowsPreemptiveUse: true)) { _, _, _ in HTTPBasicAuthenticator()
        },
    ]

    private static let socks = Self(.socksPassword, SchemeTraits(carries: .password))

    /// The traits by method; every authenticated request reads them, so they exclude the factories, whose copies would
    /// be costly.
    fileprivate static let traits = Dictionary(uniqueKeysWithValues: (all + [socks]).map { ($0.method, $0.traits) })
}

/// The properties of a method that a session needs before it creates an authenticator.
package struct SchemeTraits: Sendable {
    /// The kinds of credentials that a method accepts.
    package struct Carries: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let password = Self(rawValue: 1)
        package static let token = Self(rawValue: 2)
        /// The ticket of the user who runs the program.
        package static let currentUser = Self(rawValue: 4)
        package static let anything: Self = [.password, .token, .currentUser]
    }

    package let carries: Carries
    /// Whether the method authenticates a connection rather than a request.
    var isConnectionBound = false
    /// Whether a challenge lists its protection space in `domain` (RFC 7616 section 3.3).
    var listsTargets = false
    /// Whether a server may challenge every request although its connection is authenticated (RFC 4559 section 6).
    package var mayChallengeEachRequest = true
    /// Whether an answer can be created without a challenge.
    package var allowsPreemptiveUse = false
    /// Whether an answer without TLS allows password guessing.
    package var needsTLS = false

    /// Returns whether the method accepts a kind of credential.
    package func carries(_ kind: Credential.Kind) -> Bool {
        switch kind {
        case .password: carries.contains(.password)
        case .token: carries.contains(.token)
        case .currentUser: carries.contains(.currentUser)
        case .identity, .encodedIdentity, .serverTrust: false
        }
    }
}

extension AuthenticationMethod {
    /// The methods that a user can allow by name: the HTTP methods, the strongest first, and the SOCKS method.
    package static let selectable = KnownScheme.all.map(\.method) + [.socksPassword]

    /// The traits of the method; a registered scheme may accept any credential.
    package var traits: SchemeTraits { KnownScheme.traits[self] ?? SchemeTraits(carries: .anything) }

    /// Whether the method authenticates a connection rather than a request.
    ///
    /// All messages of such a scheme must use the same connection, which then serves no other credential.
    public var isConnectionBound: Bool { traits.isConnectionBound }

    /// The description of the credential that the method accepts.
    var suitableCredential: String {
        switch self {
        case .clientCertificate: "an identity, which is a certificate with its private key"
        case .serverTrust: "a decision on the server's chain"
        default:
            switch KnownScheme.traits[self]?.carries {
            case .password?: "a user and a password"
            case .token?: "a token"
            case .some: "the current user, or a user and a password"
            case nil: "the kind that its authenticator accepts"
            }
        }
    }
}

extension ChallengeHandlers {
    /// Creates handlers for all schemes that accept only a password, and for those that accept only a token.
    package init(password: any ChallengeHandler, token: any ChallengeHandler) {
        self = [:]
        for (method, traits) in KnownScheme.traits {
            switch traits.carries {
            case .password: self[method] = password
            case .token: self[method] = token
            default: break
            }
        }
    }
}

/// The HTTP methods that a session uses, in order of preference.
///
/// The default order follows what an eavesdropper learns: with Negotiate and SCRAM nothing useful, with Digest and NTLM
/// data for guessing the password, with Bearer and Basic the credential itself.
public struct MethodPreference: Hashable, Sendable {
    /// The methods, the preferred one first.
    ///
    /// A method that is not listed is never used, unless a program registers it in the session's
    /// ``AuthenticatorRegistry``. Such a method is tried before all others.
    public var order: [AuthenticationMethod]

    /// Whether a weaker method is tried after a server has rejected a credential with a stronger one;
    /// `false` by default.
    ///
    /// An attacker on the network path can reject an answer to receive a weaker one. If a handler rejects a protection
    /// space, the next method is always tried.
    public var allowsWeakerMethodAfterRejection: Bool

    /// Whether the session answers Negotiate with NTLM, so that both are equally strong.
    private var negotiatesNTLM = false

    /// Makes a preference; by default Negotiate, SCRAM, Digest (by the strength of its hash), NTLM, Bearer, Basic, and
    /// no weaker method after a rejection.
    public init(
        order: [AuthenticationMethod] = Self.strongestFirst, allowsWeakerMethodAfterRejection: Bool = false
    ) {
        self.order = order
        self.allowsWeakerMethodAfterRejection = allowsWeakerMethodAfterRejection
    }

    /// Returns the order for a session that answers Negotiate with NTLM: Negotiate comes last, because most servers that
    /// offer it want a ticket, and some fail if they get something else.
    package func negotiatingNTLM() -> MethodPreference {
        var preference = self
        preference.order.removeAll { $0 == .negotiate }
        if order.contains(.negotiate), order.contains(.ntlm) { preference.order.append(.negotiate) }
        preference.negotiatesNTLM = true
        return preference
    }

    /// The default order: the strongest method first.
    public static let strongestFirst = KnownScheme.all.map(\.method)

    /// Returns the challenges that may be answered, in order of preference: Digest challenges by the strength of their
    /// hash, and equal ones in the server's order.
    ///
    /// - Parameter challenges: The challenges, in the order sent.
    /// - Returns: The challenges whose method is in ``order``.
    public func sorted(_ challenges: [HTTPChallenge]) -> [HTTPChallenge] {
        challenges.enumerated()
            .compactMap { offset, challenge in
                order.firstIndex(of: challenge.method).map {
                    (rank: ($0, challenge.digestWeakness, offset), challenge: challenge)
                }
            }
            .sorted { $0.rank < $1.rank }
            .map(\.challenge)
    }

    /// Returns whether one method is weaker than another: it comes after it, or it is the other scheme of NTLM, by which
    /// the same password would be proved again.
    package func isWeaker(_ method: AuthenticationMethod, than other: AuthenticationMethod) -> Bool {
        guard let rank = self.rank(of: method), let otherRank = self.rank(of: other) else { return false }
        return rank > otherRank || rank == otherRank && method != other
    }

    /// Returns the rank by strength; that of Negotiate answered with NTLM differs from its place in the order.
    private func rank(of method: AuthenticationMethod) -> Int? {
        order.firstIndex(of: negotiatesNTLM && method == .negotiate ? .ntlm : method)
    }
}

extension HTTPChallenge {
    fileprivate var digestWeakness: Int {
        guard method == .digest else { return 0 }
        return DigestAlgorithm(self["algorithm"])?.weakness ?? .max
    }
}
