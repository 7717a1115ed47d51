// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a session has to know of a method before it makes an authenticator; a new scheme of HTTP adds a line to the table.
package struct SchemeTraits: Sendable {
    /// What a method can carry.
    package struct Carries: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        static let password = Self(rawValue: 1)
        static let token = Self(rawValue: 2)
        /// The ticket of the user that the program runs as.
        static let currentUser = Self(rawValue: 4)
        static let anything: Self = [.password, .token, .currentUser]
    }

    package let carries: Carries
    /// Whether it authenticates a connection, and not a request.
    var isConnectionBound = false
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

    fileprivate static let known: [AuthenticationMethod: Self] = [
        .basic: Self(carries: .password, needsNoChallenge: true),
        .bearer: Self(carries: .token, needsNoChallenge: true),
        .digest: Self(carries: .password),
        .scramSHA256: Self(carries: .password),
        .ntlm: Self(
            carries: .password, isConnectionBound: true, mayAskEachRequest: false, needsNoChallenge: true,
            needsTLS: true),
        .negotiate: Self(carries: .anything, isConnectionBound: true, needsNoChallenge: true),
        .socksPassword: Self(carries: .password),
    ]
}

extension AuthenticationMethod {
    /// What is known of the method; a scheme that a program registers may carry anything.
    package var traits: SchemeTraits { SchemeTraits.known[self] ?? SchemeTraits(carries: .anything) }

    /// Whether a connection is authenticated, and not a request: every leg of such a scheme must go over the same connection,
    /// which then serves no other credential.
    public var isConnectionBound: Bool { traits.isConnectionBound }
}
