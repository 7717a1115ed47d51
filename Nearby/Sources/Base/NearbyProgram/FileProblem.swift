// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// An error about a file that the user named.
package enum FileProblem: ExplainedError {
    /// The file at this path could not be read.
    case unreadable(String)
    /// The file at this path could not be written.
    case unwritable(String)

    package var explanation: ErrorExplanation {
        switch self {
        case .unreadable(let path):
            ErrorExplanation(
                "file.not-read", "\(path) cannot be read.",
                reason: "It does not exist, it is not a regular file, or its permissions do not allow it.",
                advice: "Check the path.")
        case .unwritable(let path):
            ErrorExplanation(
                "file.not-written", "\(path) cannot be written.",
                reason: "Its folder cannot be made, the permissions do not allow it, or the disk is full.",
                advice: "Check the path and its permissions.")
        }
    }
}

extension FileProblem {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] { [.unreadable("hosts.txt"), .unwritable("zones/64-27.zone")] }
}
