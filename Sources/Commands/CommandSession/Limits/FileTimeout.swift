// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// A file or a pipe that took all the time that `--max-time` gives.
package struct FileTimeout: Error, Hashable {
    /// Otherwise it was written.
    package let isRead: Bool
    package let path: String
}

extension FileTimeout: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.timed-out", "\(isRead ? "Reading" : "Writing") \(path) took longer than the total timeout.",
            reason: isRead
                ? "It is a pipe, and no program wrote to it and then closed it."
                : "It is a pipe, and no program read from it.",
            advice: "Check the program at the other end, or allow more time.")
    }

    package static var examples: [FileTimeout] { [Self(isRead: true, path: "/dev/fd/3")] }
}
