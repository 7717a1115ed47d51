// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The deviations of an encoding from DER and RFC 5280 that leave it one meaning.
struct EncodingDeviations: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// An encoded default value, a Boolean other than 0xff, or unsorted attributes (X.690 section 11).
    static let canonicalEncoding = Self(rawValue: 1)
    /// An empty sequence that requires an element.
    static let emptySequences = Self(rawValue: 2)
    /// Superfluous bits in a key usage (X.690 section 11.2.2).
    static let keyUsageEncoding = Self(rawValue: 4)
    /// A path length in a certificate that is not an authority's (RFC 5280 section 4.2.1.9).
    static let pathLengthWithoutAuthority = Self(rawValue: 8)
    /// A constraint on DNS names that begins with a dot (RFC 5280 section 4.2.1.10).
    static let nameConstraintSyntax = Self(rawValue: 16)
    /// A certificate policy that occurs twice (RFC 5280 section 4.2.1.4).
    static let duplicatePolicies = Self(rawValue: 32)
}
