// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// A partial file that a download does not resume, and the reason.
package struct PartialFileLoss: Hashable, Sendable {
    enum Fate: Hashable {
        /// The bytes are discarded. Holds their number.
        case discarded(Int)
        /// A new file has taken its name.
        case replaced
        /// It stays, because only its owner can remove it, and the new file has another name.
        case stays
    }

    let path: String
    let problem: AdoptionError.Problem
    let fate: Fate

    /// The sentence about the loss, without a full stop.
    package var text: String {
        let outcome =
            switch fate {
            case .discarded(1): "its byte is discarded, and the download restarts"
            case .discarded(let count): "its \(count) bytes are discarded, and the download restarts"
            case .replaced: "a new file replaces it, and the download restarts"
            case .stays: "it stays, and the download restarts in a file of another name"
            }
        return "\(path) is not resumed, because \(problem.clause); \(outcome)"
    }
}

/// The bytes of a partial file cannot be resumed, and the download restarts.
struct RestartNeeded: Error {
    let problem: AdoptionError.Problem
}

extension FileState {
    /// Returns the reason for which another user may have written a file.
    ///
    /// - Parameter writers: The permission bits of the users whose right to write counts, such as 0o022.
    /// - Returns: `nil` if the file is regular, belongs to this process's user, has no other name, and none of these
    ///   users can change it.
    func exposure(to writers: UInt32) -> AdoptionError.Problem? {
        if isLink { return .symbolicLink }
        guard isRegular else { return .notRegular }
        guard owner == UInt32(geteuid()) else { return .otherOwner }
        guard permissions & writers == 0 else { return .writableByOthers(permissions) }
        return linkCount == 1 ? nil : .secondName
    }

    /// The length and the modification time, by which a partial file is recognized in a later run.
    var mark: String { "\(length) \(modification[0]) \(modification[1])" }
}
