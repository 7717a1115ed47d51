// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Collection<UInt8> {
    /// Where a text begins for the first time.
    func firstIndex(of text: String) -> Index? { firstRange(of: Array(text.utf8))?.lowerBound }

    func contains(_ text: String) -> Bool { firstIndex(of: text) != nil }
}

extension Collection<UInt8> {
    /// Every line with what ends it.
    var lines: [SubSequence] {
        var (lines, start) = ([SubSequence](), startIndex)
        while start != endIndex {
            let end = self[start...].firstIndex(of: UInt8(ascii: "\n")).map { index(after: $0) } ?? endIndex
            lines.append(self[start..<end])
            start = end
        }
        return lines
    }
}
