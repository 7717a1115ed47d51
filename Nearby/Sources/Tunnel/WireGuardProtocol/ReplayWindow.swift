// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The window of received counters, so that each counter is accepted once (RFC 6479).
struct ReplayWindow: Sendable {
    /// The maximum distance behind the highest counter.
    static let size: UInt64 = 8_192
    /// The window has one additional word, so that moving it clears complete words.
    private static let wordCount = size / 64 + 1

    private var words = [UInt64](repeating: 0, count: Int(wordCount))
    private var greatest: UInt64?

    /// Records a counter.
    ///
    /// - Returns: Whether the counter is new and within the window.
    mutating func accept(_ counter: UInt64) -> Bool {
        let word = counter / 64
        if let greatest {
            guard counter > greatest || greatest - counter < Self.size else { return false }
            let last = greatest / 64
            if word > last {
                for passed in 1...min(word - last, Self.wordCount) {
                    words[Int((last + passed) % Self.wordCount)] = 0
                }
            }
        } else {
            greatest = counter
        }
        greatest = max(greatest ?? counter, counter)
        let (index, bit) = (Int(word % Self.wordCount), UInt64(1) << (counter % 64))
        guard words[index] & bit == 0 else { return false }
        words[index] |= bit
        return true
    }
}
