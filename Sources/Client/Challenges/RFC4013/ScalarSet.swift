// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A table of stringprep: which scalars are in it.
struct ScalarSet: Sendable {
    /// Ascending, and apart.
    private let ranges: [ClosedRange<UInt32>]

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

    /// `first-last` or a single value, in hexadecimal.
    static func range(_ text: some StringProtocol) -> ClosedRange<UInt32>? {
        let bounds = text.split(separator: "-").compactMap { UInt32($0, radix: 16) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return nil }
        return first...last
    }
}
