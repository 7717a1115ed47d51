// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The test and the part of it that a request-target names.
struct TestNumber: Hashable, Sendable {
    let test: Int
    let part: Int

    private static let partFactor = 10_000

    /// Reads the number after the last slash, or else the one after the last dot.
    init?(target: String) {
        guard let number = Self.number(after: "/", in: target) ?? Self.number(after: ".", in: target) else {
            return nil
        }
        self.init(number)
    }

    private init(_ number: Int) {
        (test, part) = number > Self.partFactor ? number.quotientAndRemainder(dividingBy: Self.partFactor) : (number, 0)
    }

    private static func number(after separator: Character, in target: String) -> Int? {
        guard let start = target.lastIndex(of: separator) else { return nil }
        let digits = target[target.index(after: start)...].prefix { ("0"..."9").contains($0) }
        return Int(digits).flatMap { $0 > 0 ? $0 : nil }
    }
}
