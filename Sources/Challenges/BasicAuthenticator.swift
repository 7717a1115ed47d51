// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Basic authentication (RFC 7617).
public struct BasicAuthenticator: HTTPAuthenticator {
    public init(_ challenge: HTTPChallenge) throws(HTTPAuthenticatorError) {}

    public func authorization(
        with credential: Credential, method: String, target: String
    ) throws(HTTPAuthenticatorError) -> String {
        throw .unsuitableCredential(.basic)
    }
}
