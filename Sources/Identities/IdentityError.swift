// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a file or a pair of files gave no identity.
public enum IdentityError: Error, Hashable, Sendable {
    case noCertificate
    case keyDoesNotMatch
}
