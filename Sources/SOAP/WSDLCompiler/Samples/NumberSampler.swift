// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Numbers within bounds and with no more digits than facets allow.
struct NumberSampler {
    private let isInteger: Bool
    private var minimum: Decimal?
    private var maximum: Decimal?
    private var isMinimumExclusive = false
    private var isMaximumExclusive = false
    private var totalDigits = Int.max
    private var fractionDigits = Int.max

    /// `nil` for types that are no numbers.
    init?(_ type: BuiltInType, _ facets: [Facets]) {
        switch type {
        case .decimal, .float, .double: isInteger = false
        case .integer, .nonPositiveInteger, .negativeInteger, .nonNegativeInteger, .positiveInteger, .long, .int,
            .short, .byte, .unsignedLong, .unsignedInt, .unsignedShort, .unsignedByte:
            isInteger = true
        default: return nil
        }
        let bounds = Self.bounds[type]
        (minimum, maximum) = (Self.number(bounds?.0), Self.number(bounds?.1))
        for step in facets {
            raise(Self.number(step.minimumInclusive), isExclusive: false)
            raise(Self.number(step.minimumExclusive), isExclusive: true)
            lower(Self.number(step.maximumInclusive), isExclusive: false)
            lower(Self.number(step.maximumExclusive), isExclusive: true)
            totalDigits = min(totalDigits, step.totalDigits ?? Int.max)
            fractionDigits = min(fractionDigits, step.fractionDigits ?? Int.max)
        }
    }

    private static let bounds: [BuiltInType: (String?, String?)] = [
        .nonPositiveInteger: (nil, "0"), .negativeInteger: (nil, "-1"), .nonNegativeInteger: ("0", nil),
        .positiveInteger: ("1", nil), .long: ("-9223372036854775808", "9223372036854775807"),
        .int: ("-2147483648", "2147483647"), .short: ("-32768", "32767"), .byte: ("-128", "127"),
        .unsignedLong: ("0", "18446744073709551615"), .unsignedInt: ("0", "4294967295"),
        .unsignedShort: ("0", "65535"), .unsignedByte: ("0", "255"),
    ]

    private static func number(_ text: String?) -> Decimal? { text.flatMap { Decimal(string: $0) } }

    private mutating func raise(_ bound: Decimal?, isExclusive: Bool) {
        guard let bound, minimum.map({ bound > $0 || (bound == $0 && isExclusive) }) ?? true else { return }
        (minimum, isMinimumExclusive) = (bound, isExclusive)
    }

    private mutating func lower(_ bound: Decimal?, isExclusive: Bool) {
        guard let bound, maximum.map({ bound < $0 || (bound == $0 && isExclusive) }) ?? true else { return }
        (maximum, isMaximumExclusive) = (bound, isExclusive)
    }

    /// Numbers that may be allowed, the plainest first.
    var candidates: [String] {
        var numbers: [Decimal] = [1, 0]
        // The smallest step that the digits allow.
        var step: Decimal = 1
        if !isInteger { for _ in 0..<min(fractionDigits, 6) { step /= 10 } }
        let low = minimum.map { [$0, $0 + 1, $0 + step] } ?? []
        let high = maximum.map { [$0, $0 - 1, $0 - step] } ?? []
        // The bound that is nearer to zero gives the shorter number.
        numbers += maximum.map { $0 < 0 } ?? false ? high + low : low + high
        if let minimum, let maximum { numbers.append((minimum + maximum) / 2) }
        numbers += [10, 100, 1_000, -1]
        return numbers.map { "\($0)" }
    }

    /// Whether a number is within the bounds and has no more digits than are allowed.
    func allows(_ text: String) -> Bool {
        // Infinity and the like have no bounds here.
        guard let number = Decimal(string: text) else { return !isInteger }
        if let minimum, isMinimumExclusive ? number <= minimum : number < minimum { return false }
        if let maximum, isMaximumExclusive ? number >= maximum : number > maximum { return false }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1].count : 0
        let digits = text.count { $0.isNumber } - (text.hasPrefix("0.") || text.hasPrefix("-0.") ? 1 : 0)
        return fraction <= (isInteger ? 0 : fractionDigits) && digits <= totalDigits
    }
}
