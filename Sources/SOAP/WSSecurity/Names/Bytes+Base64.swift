// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension [UInt8] {
    /// In base64, in one line.
    var base64: String { Data(self).base64EncodedString() }
}
