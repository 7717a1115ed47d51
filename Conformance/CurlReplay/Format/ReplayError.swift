// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a test cannot be replayed.
enum ReplayError: Error, Hashable, CustomStringConvertible {
    case unreadableIndex(path: String)
    case unreadableTest(path: String)
    /// A file that an option names.
    case unreadableFile(path: String)
    case unreadableURL(String)
    /// What the session, or this program, has nothing for.
    case unsupported(String)

    var description: String {
        switch self {
        case .unreadableIndex(let path): "\(path) is no list of tests"
        case .unreadableTest(let path), .unreadableFile(let path): "cannot read \(path)"
        case .unreadableURL(let text): "\(text) is no URL"
        case .unsupported(let what): "the session has nothing for \(what)"
        }
    }
}
