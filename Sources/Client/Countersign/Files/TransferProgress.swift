// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The progress of a transfer.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes transferred.
    ///
    /// For a download, those of an earlier, interrupted one count too.
    public let completed: Int
    /// The total number of bytes; `nil` if it is not known.
    public let total: Int?

    /// Makes a progress from numbers of bytes, with `nil` for a total that is not known.
    public init(completed: Int, total: Int?) {
        (self.completed, self.total) = (completed, total)
    }

    /// The transferred fraction of the total, from 0 to 1; `nil` if the total is not known.
    ///
    /// An empty transfer has the fraction 1.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}
