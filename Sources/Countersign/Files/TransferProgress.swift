// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How far a transfer is.
public struct TransferProgress: Hashable, Sendable {
    /// What was transferred, in bytes; of a download, with what an earlier one had left.
    public let completed: Int
    /// In bytes; `nil` where it is not known.
    public let total: Int?

    /// A progress.
    public init(completed: Int, total: Int?) {
        (self.completed, self.total) = (completed, total)
    }

    /// 0 to 1; `nil` where the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}
