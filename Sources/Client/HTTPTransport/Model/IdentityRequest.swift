// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
package struct IdentityRequest: Equatable, Sendable {
    /// The issuers that the server named; `nil` where they are not known, as in a renegotiation of TLS 1.2.
    package let issuers: AcceptableIssuers?

    static let withUnknownIssuers = Self(issuers: nil)
}
