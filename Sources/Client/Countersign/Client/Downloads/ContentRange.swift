// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The field of a 206 or a 416 (RFC 9110 section 14.4).
enum ContentRange: Hashable {
    /// Offsets of bytes; the last one is included. The total is `nil` where the server does not know it.
    case part(first: Int, last: Int, total: Int?)
    /// Nothing of so many bytes.
    case none(total: Int)

    init?(_ field: String?) {
        guard let field, field.prefix(6).lowercased() == "bytes " else { return nil }
        let halves = field.dropFirst(6).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let total = Self.number(halves[1])
        guard total != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            guard let total else { return nil }
            self = .none(total: total)
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else {
            return nil
        }
        self = .part(first: first, last: last, total: total)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}
