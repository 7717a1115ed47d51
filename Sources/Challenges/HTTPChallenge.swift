// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.3).
public struct HTTPChallenge: Hashable, Sendable {
    /// The scheme, compared without regard to case.
    public let method: AuthenticationMethod
    /// The part after the scheme where it is a single token68.
    public let token68: String?
    /// In the order sent, names in lower case, values unquoted.
    public let parameters: [(name: String, value: String)]

    /// The value of a parameter; names compare without regard to case.
    public subscript(name: String) -> String? { nil }

    public static func == (left: Self, right: Self) -> Bool { left.method == right.method }
    public func hash(into hasher: inout Hasher) { hasher.combine(method) }

    /// Parses the values of all fields of one name of one response.
    public static func parse(_ fieldValues: [String]) throws(HTTPChallengeError) -> [HTTPChallenge] { [] }
}

/// Why a challenge field makes no sense.
public enum HTTPChallengeError: Error, Hashable, Sendable {
    case malformed(offset: Int)
}
