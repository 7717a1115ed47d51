// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension [UInt8] {
    /// As SQLite stores it.
    var stored: Data { Data(self) }

    /// Returns `nil` for what is no blob: a file may have been changed by hand.
    static func stored(_ value: DatabaseValue?) -> [UInt8]? {
        guard case .blob(let data)? = value?.storage else { return nil }
        return Array(data)
    }
}
