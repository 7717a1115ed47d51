// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value of a property list.
enum PropertyList {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case data([UInt8])
    /// Seconds since 2001.
    case date(Double)
    /// A reference of a keyed archive, CFKeyedArchiverUID.
    case uid(Int)
    case array([PropertyList])
    /// In the order of the file.
    case dictionary([(key: String, value: PropertyList)])

    /// A dictionary's first value under a key.
    subscript(key: String) -> PropertyList? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }
}
