// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Makes the authenticators of methods that are built in, and of methods for which a program registers a function.
public struct AuthenticatorRegistry: Sendable, ExpressibleByDictionaryLiteral {
    /// A function that makes the authenticator for a challenge of its method; `nil` where it cannot answer this challenge.
    public typealias Factory = @Sendable (HTTPChallenge) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)?

    private var factories: [AuthenticationMethod: Factory] = [:]

    /// Makes a registry of the methods that are built in, without further ones.
    public init() {}

    /// Registers functions by method.
    ///
    /// If a method occurs twice, its last function is used.
    public init(dictionaryLiteral elements: (AuthenticationMethod, Factory)...) {
        factories = Dictionary(elements) { _, last in last }
    }

    /// The function that is registered for a method, which takes precedence over a built-in one; `nil` where none is registered.
    public subscript(method: AuthenticationMethod) -> Factory? {
        get { factories[method] }
        set { factories[method] = newValue }
    }

    /// The methods that are registered.
    package var methods: Set<AuthenticationMethod> { Set(factories.keys) }

    /// Makes the authenticator for a challenge, of a method that is registered or built in.
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - nonceCounts: The counts of Digest's nonces, which all authenticators for the same server share, so that no count is used twice.
    ///   - scramIterationLimit: The largest iteration count of SCRAM that is answered; less than 4,096 counts as 4,096.
    /// - Returns: The authenticator; `nil` where the scheme, its algorithm or its quality of protection is not supported.
    /// - Throws: ``HTTPAuthenticatorError`` where the challenge lacks a parameter that an answer needs, and what a registered function
    ///   throws.
    public func authenticator(
        for challenge: HTTPChallenge, nonceCounts: @autoclosure () -> NonceCounts = NonceCounts(),
        scramIterationLimit: Int = SCRAMAuthenticator.iterationLimit
    ) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)? {
        if let make = factories[challenge.method] { return try make(challenge) }
        let scheme = KnownScheme.all.first { $0.method == challenge.method }
        return try scheme?.make?(challenge, nonceCounts, scramIterationLimit)
    }
}

/// The names of the schemes that are built in.
extension AuthenticationMethod {
    /// Negotiate: Kerberos through SPNEGO (RFC 4559, RFC 4178).
    public static let negotiate = Self("negotiate")
    /// SCRAM with SHA-256 (RFC 7804).
    public static let scramSHA256 = Self("scram-sha-256")
    /// Digest (RFC 7616).
    public static let digest = Self("digest")
    /// NTLM, version 2 only (MS-NLMP, MS-NTHT).
    public static let ntlm = Self("ntlm")
    /// Bearer (RFC 6750).
    public static let bearer = Self("bearer")
    /// Basic (RFC 7617).
    public static let basic = Self("basic")
}

/// A scheme that is built in; a new scheme of HTTP adds its name above and a line to the table ``all``.
struct KnownScheme: Sendable {
    /// Makes the authenticator for a challenge, as ``AuthenticatorRegistry`` describes it.
    typealias Factory =
        @Sendable (HTTPChallenge, _ nonceCounts: () -> NonceCounts, _ scramIterationLimit: Int)
        throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)?

    let method: AuthenticationMethod
    let traits: SchemeTraits
    /// `nil` where only a program can register a function.
    let make: Factory?

    private init(_ method: AuthenticationMethod, _ traits: SchemeTraits, make: Factory? = nil) {
        (self.method, self.traits, self.make) = (method, traits, make)
    }

    /// The schemes of HTTP, the strongest first: ``MethodPreference`` says what decides that.
    static let all = [
        Self(.negotiate, SchemeTraits(carries: .anything, isConnectionBound: true, needsNoChallenge: true)),
        Self(.scramSHA256, SchemeTraits(carries: .password)) { challenge, _, iterationLimit in
            SCRAMAuthenticator(challenge, iterationLimit: iterationLimit)
        },
        // Only Digest counts nonces; a server that asks for another scheme leaves nothing behind.
        Self(.digest, SchemeTraits(carries: .password, listsTargets: true)) {
            challenge, nonceCounts, _ throws(HTTPAuthenticatorError) in
            try DigestAuthenticator(challenge, nonceCounts: nonceCounts())
        },
        Self(
            .ntlm,
            SchemeTraits(
                carries: .password, isConnectionBound: true, mayAskEachRequest: false, needsNoChallenge: true,
                needsTLS: true)
        ) { challenge, _, _ in NTLMAuthenticator(challenge) },
        Self(.bearer, SchemeTraits(carries: .token, needsNoChallenge: true)) { _, _, _ in BearerAuthenticator() },
        Self(.basic, SchemeTraits(carries: .password, needsNoChallenge: true)) { _, _, _ in BasicAuthenticator() },
    ]

    private static let socks = Self(.socksPassword, SchemeTraits(carries: .password))

    /// Looked up by every request that authenticates, so without the functions, which would be copied too.
    fileprivate static let traits = Dictionary(uniqueKeysWithValues: (all + [socks]).map { ($0.method, $0.traits) })
}

/// What a session has to know of a method before it makes an authenticator.
package struct SchemeTraits: Sendable {
    /// What a method can carry.
    package struct Carries: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let password = Self(rawValue: 1)
        package static let token = Self(rawValue: 2)
        /// The ticket of the user that the program runs as.
        package static let currentUser = Self(rawValue: 4)
        package static let anything: Self = [.password, .token, .currentUser]
    }

    package let carries: Carries
    /// Whether it authenticates a connection, and not a request.
    var isConnectionBound = false
    /// Whether a challenge lists in `domain` what it is about (RFC 7616 section 3.3).
    var listsTargets = false
    /// Whether a server may ask every request although its connection is authenticated (RFC 4559 section 6).
    package var mayAskEachRequest = true
    /// Whether an answer can be made without a challenge.
    package var needsNoChallenge = false
    /// Whether an answer without TLS gives away what a password can be guessed from.
    package var needsTLS = false

    /// Whether it can carry a credential.
    package func carries(_ kind: Credential.Kind) -> Bool {
        switch kind {
        case .password: carries.contains(.password)
        case .token: carries.contains(.token)
        case .currentUser: carries.contains(.currentUser)
        case .identity, .serverTrust: false
        }
    }
}

extension AuthenticationMethod {
    /// The methods that a user can allow by name: HTTP's, the strongest first, and that of SOCKS.
    package static let selectable = KnownScheme.all.map(\.method) + [.socksPassword]

    /// What is known of the method; a scheme that a program registers may carry anything.
    package var traits: SchemeTraits { KnownScheme.traits[self] ?? SchemeTraits(carries: .anything) }

    /// Whether the method authenticates a connection, and not a request.
    ///
    /// All messages of such a scheme must use the same connection, which then serves no other credential.
    public var isConnectionBound: Bool { traits.isConnectionBound }

    /// What kind of credential the method takes, in words.
    var suitableCredential: String {
        switch self {
        case .clientCertificate: "an identity, which is a certificate with its private key"
        case .serverTrust: "a decision on the server's chain"
        default:
            switch KnownScheme.traits[self]?.carries {
            case .password?: "a user and a password"
            case .token?: "a token"
            case .some: "the current user, or a user and a password"
            case nil: "the kind that its authenticator names"
            }
        }
    }
}

extension ChallengeHandlers {
    /// Handlers of all schemes that carry nothing but a password, and of those that carry nothing but a token.
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

/// The methods of HTTP that a session answers, in the order in which it tries them.
///
/// The default order follows what an eavesdropper learns: with Negotiate and SCRAM nothing useful, with Digest and NTLM something to guess
/// the password from, with Bearer and Basic the credential itself.
public struct MethodPreference: Hashable, Sendable {
    /// The methods, the preferred one first.
    ///
    /// A method that is not listed is never answered, unless a program registers it in the session's ``AuthenticatorRegistry``. Such a
    /// method is tried before all others.
    public var order: [AuthenticationMethod]

    /// Whether a weaker method is tried after a server has rejected a credential by a stronger one; `false` by default.
    ///
    /// An attacker on the way can reject an answer to get a weaker one. If a handler rejects a protection space, the next method is tried
    /// in any case.
    public var allowsWeakerMethodAfterRejection: Bool

    /// Makes a preference; by default Negotiate, SCRAM, Digest (by the strength of its hash), NTLM, Bearer, Basic, and no weaker method
    /// after a rejection.
    public init(
        order: [AuthenticationMethod] = Self.strongestFirst, allowsWeakerMethodAfterRejection: Bool = false
    ) {
        self.order = order
        self.allowsWeakerMethodAfterRejection = allowsWeakerMethodAfterRejection
    }

    /// The default order: the strongest method first.
    public static let strongestFirst = KnownScheme.all.map(\.method)

    /// Returns the challenges that may be answered, in the order in which they are tried: Digest by the strength of its hash, equal ones in
    /// the server's order.
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

    /// Whether one method comes after another.
    package func isWeaker(_ method: AuthenticationMethod, than other: AuthenticationMethod) -> Bool {
        guard let rank = order.firstIndex(of: method), let otherRank = order.firstIndex(of: other) else { return false }
        return rank > otherRank
    }
}

extension HTTPChallenge {
    fileprivate var digestWeakness: Int {
        guard method == .digest else { return 0 }
        return DigestAlgorithm(self["algorithm"])?.weakness ?? .max
    }
}
