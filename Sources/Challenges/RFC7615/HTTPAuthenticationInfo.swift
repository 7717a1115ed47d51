// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a server says with the response that let a request through: `Authentication-Info` or `Proxy-Authentication-Info` (RFC 7615).
public struct HTTPAuthenticationInfo: Hashable, Sendable {
    /// The parameters in the order sent.
    ///
    /// No name occurs twice.
    public let parameters: [HTTPChallenge.Parameter]

    /// Reads the fields of one response; `nil` where there are none.
    ///
    /// - Parameter fieldValues: The values of all fields of the one name.
    /// - Throws: ``HTTPChallengeError`` where they make no sense; unlike a challenge there is no second one to fall back on.
    public init?(_ fieldValues: [String]) throws(HTTPChallengeError) {
        guard !fieldValues.isEmpty else { return nil }
        let limit = HTTPChallenge.sizeLimit
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= limit else { throw .tooLarge(limit: limit) }
        var parser = HTTPChallengeParser(fieldValues.joined(separator: ", "))
        parameters = try parser.parseParameters()
    }

    /// The value of a parameter.
    ///
    /// - Parameter name: Compared without regard to case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name.lowercased() }?.value
    }
}
