// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations
import Countersign

/// Files that decide on trust, which another user must not have written.
package enum OwnFiles {
    /// Checks a file and the folder in which the command keeps it.
    ///
    /// A folder that others cannot enter protects its files, whatever their own rights are.
    ///
    /// - Throws: ``UnsafeFileError`` where another user owns one of them, or may write it.
    package static func check(_ path: String, in folder: String) throws(UnsafeFileError) {
        guard let folderState = FileState(path: folder) else { return }
        guard isOwn(folderState) else { throw UnsafeFileError(path: folder) }
        guard let state = FileState(path: path) else { return }
        let isEntered = folderState.permissions & 0o011 != 0
        guard state.isTrustworthy, !isEntered || isOwn(state) else { throw UnsafeFileError(path: path) }
    }

    private static func isOwn(_ state: FileState) -> Bool { state.isTrustworthy && !state.isWritableByOthers }
}

/// A file that decides on trust, and that another user may have written.
package struct UnsafeFileError: Error, Hashable {
    package let path: String
}

extension UnsafeFileError: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.unsafe", "Other users can write \(path), which decides which servers are trusted.",
            reason: "Another user may have added an authority to it.",
            advice:
                "Compare its contents with another source. Then make yourself the owner, and remove the write permission of all others (chmod go-w)."
        )
    }

    package static var examples: [UnsafeFileError] { [Self(path: "/home/me/.config/countersign/anchors")] }
}
