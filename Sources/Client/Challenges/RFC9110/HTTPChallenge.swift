// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.3).
public struct HTTPChallenge: Hashable, Sendable {
    /// A name and a value, such as `realm="intranet"`.
    public struct Parameter: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value, without quotes and escapes.
        public let value: String

        /// Makes a parameter.
        ///
        /// Its name is converted to lower case.
        public init(name: String, value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    /// The scheme, in lower case.
    public let method: AuthenticationMethod
    /// The token68 after the scheme; `nil` if parameters follow it.
    public let token68: String?
    /// The parameters in the order sent.
    ///
    /// No name occurs twice.
    public let parameters: [Parameter]

    /// Makes a challenge without reading a field.
    ///
    /// - Parameters:
    ///   - method: The scheme.
    ///   - token68: The token68, which a challenge has instead of parameters; `nil` for none.
    ///   - parameters: The parameters, in the order sent; no name occurs twice.
    public init(method: AuthenticationMethod, token68: String? = nil, parameters: [Parameter] = []) {
        self.method = method
        self.token68 = token68
        self.parameters = parameters
    }

    /// The value of a parameter; `nil` where there is none of that name.
    ///
    /// - Parameter name: The name of the parameter, compared without regard to case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name.lowercased() }?.value
    }

    /// The realm: the server's name for the protected resources, for display (RFC 9110 section 11.5); `nil` where it names none.
    public var realm: String? { self["realm"] }

    /// Whether the server rejected only the nonce as too old, so that the same credential may be sent again (RFC 7616 section 3.3).
    public var isStale: Bool { self["stale"]?.lowercased() == "true" }
}

extension HTTPChallenge {
    /// The largest size of all field values together that is parsed, in bytes.
    public static let sizeLimit = 64 * 1024

    /// The largest number of challenges that is parsed.
    public static let countLimit = 64

    /// The largest number of parameters of one challenge that is parsed.
    public static let parameterLimit = 64

    /// Parses the challenges of one response.
    ///
    /// Each field is parsed by itself. A malformed field is passed over as long as another one is well-formed, so that a malformed
    /// challenge does not hide a good one. If all are malformed, the first one's error is thrown.
    ///
    /// - Parameter fieldValues: The values of all `WWW-Authenticate` (or all `Proxy-Authenticate`) fields.
    /// - Returns: The challenges in the order sent; empty where there are no fields.
    /// - Throws: ``HTTPChallengeError`` where all fields are malformed, or exceed ``sizeLimit`` or ``countLimit``.
    public static func parse(_ fieldValues: [String]) throws(HTTPChallengeError) -> [HTTPChallenge] {
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
        var challenges: [HTTPChallenge] = []
        var firstError: HTTPChallengeError?
        for value in fieldValues {
            do {
                var parser = HTTPChallengeParser(value)
                challenges += try parser.parse()
            } catch {
                firstError = firstError ?? error
            }
        }
        if challenges.isEmpty, let firstError { throw firstError }
        guard challenges.count <= countLimit else { throw .tooMany(limit: countLimit) }
        return challenges
    }
}
