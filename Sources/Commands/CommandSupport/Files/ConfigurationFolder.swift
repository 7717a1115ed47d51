// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
package import ErrorExplanations
package import EssentialFoundation
import POSIX

/// The folder of the user's settings: `COUNTERSIGN_HOME`, or else `countersign` in the XDG configuration folder.
package enum ConfigurationFolder {
    package static func url(_ environment: [String: String]) -> URL {
        if let home = environment["COUNTERSIGN_HOME"] { return URL(filePath: home, directoryHint: .isDirectory) }
        // The XDG Base Directory Specification says to ignore relative paths.
        let base =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            .map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? URL(filePath: environment["HOME"] ?? ".", directoryHint: .isDirectory)
            .appending(path: ".config", directoryHint: .isDirectory)
        return base.appending(path: "countersign", directoryHint: .isDirectory)
    }
}

/// Checks files that determine trust, which other users must not be able to write.
package enum FilePermissions {
    /// Checks a file of the command and its folder.
    ///
    /// If other users cannot enter the folder, the permissions of its files do not matter.
    ///
    /// - Throws: ``UnsafeFileError`` if another user owns one of them, or may write to it.
    package static func check(_ path: String, in folder: String) throws(UnsafeFileError) {
        guard let folderState = FileState(path: folder) else { return }
        guard isOwn(folderState) else { throw UnsafeFileError(path: folder) }
        guard let state = FileState(path: path) else { return }
        let isEntered = folderState.permissions & 0o011 != 0
        guard state.isTrustworthy, !isEntered || isOwn(state) else { throw UnsafeFileError(path: path) }
    }

    /// Checks a file with a private key, which only the owner may read.
    ///
    /// As with ssh, the folder does not matter, because a key keeps its permissions when it is copied and backed up.
    /// The superuser's group may read a file of the superuser, so that a service can use a key that it cannot change.
    ///
    /// - Throws: ``ExposedKeyError`` if other users may read or write the file.
    package static func checkKey(_ path: String) throws(ExposedKeyError) {
        guard let state = FileState(path: path), state.isRegular else { return }
        let forbidden: UInt32 = state.owner == UInt32(geteuid()) ? 0o077 : 0o037
        guard state.permissions & forbidden == 0 else { throw ExposedKeyError(path: path) }
    }

    /// Returns a note about a file with a secret that other users can read, or `nil` if they cannot.
    package static func note(onSecret path: String) -> String? {
        guard let state = FileState(path: path), state.isRegular, state.permissions & 0o044 != 0 else { return nil }
        return "countersign: other users can read \(path.printable); 'chmod 600' prevents that"
    }

    private static func isOwn(_ state: FileState) -> Bool { state.isTrustworthy && !state.isWritableByOthers }
}

/// A file that determines trust and that another user may have written.
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

/// A file with a private key that other users can read.
package struct ExposedKeyError: Error, Hashable {
    package let path: String
}

extension ExposedKeyError: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.exposed-key", "Other users can read the private key in \(path).",
            reason: "A user who has read the key can act in the place of its owner, so it is not used.",
            advice:
                "Let its owner alone read it (chmod 600). If another user may have read it already, replace the key."
        )
    }

    package static var examples: [ExposedKeyError] { [Self(path: "/home/me/.config/countersign/ca/issuing-key.pem")] }
}
