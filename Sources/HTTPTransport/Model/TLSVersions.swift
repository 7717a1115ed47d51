// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Which versions of TLS may be negotiated.
public enum TLSVersions: Hashable, Sendable {
    case all
    case onlyTLS12
    case onlyTLS13
}
