// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The names of issuers that a CertificateRequest lists (RFC 8446 section 4.2.4, RFC 5246 section 7.4.4).
package struct AcceptableIssuers: Equatable, Sendable {
    /// The distinguished names, each in DER, in the server's order; empty where the server lists none.
    package let names: [[UInt8]]
}
