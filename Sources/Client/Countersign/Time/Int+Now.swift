// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Int {
    /// What the clock says, in seconds since 1970.
    static var secondsSince1970: Int { Int(Date().timeIntervalSince1970) }
}
