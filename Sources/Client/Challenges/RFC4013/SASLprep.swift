// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Secrets

/// The preparation of users and passwords, independent of the input method (RFC 4013, a profile of RFC 3454).
enum SASLprep {
    /// The use of a text (RFC 3454 section 7).
    enum Use {
        /// The text is compared with a stored one: characters that are unassigned in Unicode 3.2 are allowed.
        case query
        /// The text is hashed, as if it were stored: unassigned characters are rejected.
        case stored
    }

    private static let spaces = ScalarSet(StringprepTables.spaces)
    private static let ignored = ScalarSet(StringprepTables.ignored)
    private static let prohibited = ScalarSet(StringprepTables.prohibited)
    private static let rightToLeft = ScalarSet(StringprepTables.rightToLeft)
    private static let leftToRight = ScalarSet(StringprepTables.leftToRight)

    /// Prepares a text; ASCII is unchanged.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - part: The part of the credential, for errors.
    ///   - use: Whether characters that were assigned after Unicode 3.2 are allowed.
    /// - Returns: The prepared text in UTF-8; all temporary copies are cleared.
    /// - Throws: ``HTTPAuthenticatorError/controlCharacter(_:)``, ``HTTPAuthenticatorError/unpreparable(_:_:)``.
    static func prepare(
        _ text: Secret, part: HTTPAuthenticatorError.Part, use: Use
    ) throws(HTTPAuthenticatorError) -> Secret {
        let (isASCII, isPrintable) = text.withUnsafeBytes { bytes in
            (bytes.allSatisfy { $0 < 0x80 }, bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        }
        guard isPrintable else { throw .controlCharacter(part) }
        if isASCII { return text }
        guard var scalars = mapped(text) else { throw .unpreparable(part, .notUTF8) }
        defer { scalars.erase() }
        NormalizationKC.normalize(&scalars)
        if let reason = refusal(of: scalars, use: use) { throw .unpreparable(part, reason) }
        return encoded(scalars)
    }

    /// Applies the mapping of section 2.1; U+200B, which is in both tables, becomes a space,
    /// as in GNU SASL and PostgreSQL.
    private static func mapped(_ text: Secret) -> [Unicode.Scalar]? {
        text.withUnsafeBytes { bytes in
            var scalars: [Unicode.Scalar] = []
            // A text has at most as many scalars as bytes, so appending never reallocates and leaves no copy in memory.
            scalars.reserveCapacity(bytes.count)
            let isBroken = transcode(bytes.makeIterator(), from: UTF8.self, to: UTF32.self, stoppingOnError: true) {
                guard let scalar = Unicode.Scalar($0) else { return }
                if spaces.contains(scalar) {
                    scalars.append(" ")
                } else if !ignored.contains(scalar) {
                    scalars.append(scalar)
                }
            }
            if isBroken { scalars.erase() }
            return isBroken ? nil : scalars
        }
    }

    /// Applies sections 2.3 to 2.5, and returns the reason for a rejection.
    private static func refusal(
        of scalars: [Unicode.Scalar], use: Use
    ) -> HTTPAuthenticatorError.Unpreparable? {
        guard let first = scalars.first, let last = scalars.last else { return .nothingLeft }
        if scalars.contains(where: prohibited.contains) { return .prohibitedCharacter }
        if use == .stored, !scalars.allSatisfy(\.isAssignedInUnicode32) { return .unassignedCharacter }
        // RFC 3454 section 6: a text with right-to-left characters must begin and end with one, and contain no
        // left-to-right character.
        guard scalars.contains(where: rightToLeft.contains) else { return nil }
        let isUniform = rightToLeft.contains(first) && rightToLeft.contains(last)
        return isUniform && !scalars.contains(where: leftToRight.contains) ? nil : .mixedDirections
    }

    private static func encoded(_ scalars: [Unicode.Scalar]) -> Secret {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * scalars.count)
        defer { bytes.erase() }
        for scalar in scalars { bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter }
        return Secret(utf8: bytes)
    }
}

/// A set of scalars from a stringprep table.
struct ScalarSet: Sendable {
    /// The ranges, in ascending order and disjoint.
    private let ranges: [ClosedRange<UInt32>]

    /// Parses a table.
    ///
    /// - Parameter table: Scalars and ranges such as `a0 2000-200b`, in ascending order.
    init(_ table: String) {
        ranges = table.split(whereSeparator: \.isWhitespace).compactMap(Self.range)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(scalar.value)
    }

    /// Parses `first-last` or a single value, in hexadecimal.
    static func range(_ text: some StringProtocol) -> ClosedRange<UInt32>? {
        let bounds = text.split(separator: "-").compactMap { UInt32($0, radix: 16) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return nil }
        return first...last
    }
}
