// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension ServerPolicy {
    /// A version of TLS that is still fit for use (RFC 8996).
    @nonexhaustive
    public enum TLSVersion: String, Hashable, Sendable, Codable, CaseIterable {
        /// TLS 1.2 (RFC 5246).
        case tls12 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "1.3"
    }
}

extension ServerPolicy.TLSVersion: Comparable {
    /// Whether one is older than the other.
    public static func < (one: Self, other: Self) -> Bool { one == .tls12 && other == .tls13 }
}
