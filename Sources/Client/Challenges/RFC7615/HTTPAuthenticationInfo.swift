// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The parameters of `Authentication-Info` or `Proxy-Authentication-Info`, which a server sends when it accepts a credential (RFC 7615).
public struct HTTPAuthenticationInfo: Hashable, Sendable {
    /// The parameters in the order sent.
    ///
    /// No name occurs twice.
    public let parameters: [HTTPChallenge.Parameter]

    /// Reads the fields of one response; `nil` where there are none.
    ///
    /// - Parameter fieldValues: The values of all fields with one of the two names.
    /// - Throws: ``HTTPChallengeError`` where a field is malformed, or the fields are too large. Unlike a malformed challenge, it cannot be
    ///   passed over.
    public init?(_ fieldValues: [String]) throws(HTTPChallengeError) {
        guard !fieldValues.isEmpty else { return nil }
        let limit = HTTPChallenge.sizeLimit
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= limit else { throw .tooLarge(limit: limit) }
        var parser = HTTPChallengeParser(fieldValues.joined(separator: ", "))
        parameters = try parser.parseParameters()
    }

    /// The value of a parameter; `nil` where there is none of that name.
    ///
    /// - Parameter name: The name of the parameter, compared without regard to case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name.lowercased() }?.value
    }
}
