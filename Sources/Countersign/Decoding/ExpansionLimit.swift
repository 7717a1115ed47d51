// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How much larger a body may become when it is decoded, so that a few bytes of an attacker's do not become the reader's trouble.
///
/// The first bytes are allowed in any case; beyond them the ratio decides, which ordinary text and even logs that repeat
/// themselves stay below, while a stream of zeros reaches 1,000 in one coding and its square in two.
public struct ExpansionLimit: Hashable, Sendable {
    /// How many decoded bytes there may be for each received one.
    public var ratio: Int
    /// How many decoded bytes there may be whatever their ratio.
    public var allowance: Int

    /// A limit; 100 times what was received, and 4 MiB in any case, unless said otherwise.
    public init(ratio: Int = 100, allowance: Int = 4 << 20) {
        self.ratio = max(1, ratio)
        self.allowance = max(0, allowance)
    }

    func allows(_ decoded: Int, from received: Int) -> Bool {
        decoded <= allowance || (decoded - 1) / max(1, ratio) < received
    }
}
