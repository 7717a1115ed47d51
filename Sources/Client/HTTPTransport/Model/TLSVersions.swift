// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The versions of TLS that may be negotiated.
public enum TLSVersions: Hashable, Sendable {
    /// TLS 1.2 (RFC 5246) and TLS 1.3 (RFC 8446).
    case all
    /// TLS 1.2 only (RFC 5246).
    case onlyTLS12
    /// TLS 1.3 only (RFC 8446).
    case onlyTLS13
}
