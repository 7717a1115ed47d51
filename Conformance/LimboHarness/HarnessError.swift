// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why no case was run.
enum HarnessError: Error, Hashable, CustomStringConvertible {
    /// Holds what the decoder says.
    case unreadableSuite(String)
    case unknownVersion(Int)
    case unreadablePublicSuffixes(path: String)

    var description: String {
        switch self {
        case .unreadableSuite(let reason): "standard input is not a suite in x509-limbo's format: \(reason)"
        case .unknownVersion(let version): "the suite is of version \(version) of the format; only version 1 is known"
        case .unreadablePublicSuffixes(let path): "cannot read the public suffix list \(path)"
        }
    }
}
