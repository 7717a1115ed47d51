// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets

extension Sequence<UInt8> {
    /// Whether there is no CR, LF or NUL: each of them could end a line of a request, and begin another (RFC 9110 section 5.5).
    package var isOneLine: Bool { allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
}

extension String {
    /// Whether there is no CR, LF or NUL.
    package var isOneLine: Bool { utf8.withContiguousStorageIfAvailable { $0.isOneLine } ?? utf8.isOneLine }
}

extension Secret {
    /// Whether there is no CR, LF or NUL.
    package var isOneLine: Bool { withUnsafeBytes { $0.isOneLine } }
}
