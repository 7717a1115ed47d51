// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import Identities
import POSIX

/// A failed operation on a file.
@nonexhaustive
public enum FileError: Error, Hashable, Sendable {
    /// An operation on a file.
    @nonexhaustive
    public enum Operation: Hashable, Sendable {
        /// Opening a file and reading its bytes.
        case read
        /// Creating a file.
        case create
        /// Writing bytes to a file.
        case write
        /// Renaming a complete file to its final name.
        case rename
        /// Deleting a file.
        case remove
        /// Locking a file against other transfers.
        case lock
    }

    /// An operation on a file failed. Holds the system's `errno`.
    case failed(path: String, Operation, code: Int32)
    /// The destination of a download or of a saved file is a folder or a device, which cannot be replaced by a file.
    case notRegular(path: String)
    /// The partial file belongs to the download of another URL, and was not changed.
    case partialFileOfAnotherURL(path: String)
    /// A file that decides on trust belongs to another user, may be read or changed by others, or is a link; or its
    /// folder is.
    case exposed(path: String)
    /// The remembered key of a server cannot be read (``FileServerMemory``).
    case malformedServer(path: String)
    /// A file was changed between the creation of its body and the end of the upload.
    case changed(path: String)
    /// A line of a cookie file, counted from 1, contains no valid cookie.
    case malformedCookies(path: String, line: Int)
    /// The certificates or keys of a file cannot be used, for example without a passphrase.
    case unusable(path: String, IdentityError)
}

extension FileError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .failed(let path, .lock, EAGAIN):
            ErrorExplanation(
                "file.in-use", "\(path) is in use.", reason: "Another transfer writes to the same file.",
                advice: "Wait for it to end, or use another name.")
        case .failed(let path, let operation, let code):
            ErrorExplanation(
                operation.code, "\(path) cannot be \(operation.clause): \(systemErrorText(code)).", systemCode: code,
                reason: Self.reason(code, operation), advice: Self.advice(code, operation))
        case .notRegular(let path):
            ErrorExplanation(
                "file.not-regular", "\(path) is not a regular file.",
                reason: "A file can be replaced, but not a folder or a device.",
                advice: "Name a regular file.")
        case .partialFileOfAnotherURL(let path):
            ErrorExplanation(
                "file.partial-of-another-url", "\(path) belongs to the download of another URL.",
                reason: "An interrupted download can be resumed only from the URL at which it began.",
                advice: "Resume it from that URL, use another path, or remove the partial file.")
        case .exposed(let path):
            ErrorExplanation(
                "file.exposed", "\(path) is not private.",
                reason: "It belongs to another user, other users may read or change it, or it is a link.",
                advice: "Check its content, then give it the permissions 0600, or 0700 if it is a folder.")
        case .malformedServer(let path):
            ErrorExplanation(
                "file.malformed-server", "The remembered key of a server cannot be read: \(path).",
                reason: "The file was changed, or is damaged.",
                advice: "Compare the server's key with its owner, remove the file, and connect again.")
        case .changed(let path):
            ErrorExplanation(
                "file.changed", "\(path) was changed while it was sent.",
                reason: "The server may have received a mixture of the old and the new file.",
                advice: "Send it again when it no longer changes.")
        case .unusable(let path, let error): error.explanation.naming(path)
        case .malformedCookies(let path, let line):
            ErrorExplanation(
                "file.malformed-cookies", "\(path): Line \(line) of the cookie file is not a cookie.",
                reason:
                    "A line has seven fields, separated by tabs: domain, TRUE or FALSE for subdomains, path, TRUE for https only, expiry in seconds since 1970 or 0, name, value.",
                advice: "Correct the line, or remove it.")
        }
    }

    private static func reason(_ code: Int32, _ operation: Operation) -> String {
        switch code {
        case EBADF: "The descriptor was not open when the program started."
        case EPIPE: "The program that read it has ended."
        case EACCES, EPERM: "The permissions of the file or of its folder do not allow it."
        case ENOSPC: "The disk is full."
        case ENOENT: "The path does not exist."
        case EEXIST: "A file of that name already exists."
        case EISDIR: "The path is that of a folder."
        case EFBIG where operation == .read: "The file exceeds the size limit."
        case EFBIG: "The file would be larger than the process or the file system allows."
        case EDQUOT: "The user's quota of the disk is used up."
        default: "The operating system refused it."
        }
    }

    private static func advice(_ code: Int32, _ operation: Operation) -> String {
        switch code {
        case EBADF: "Leave the descriptor open when the program starts, or name a file."
        case EPIPE: "Check the program that reads it."
        case EACCES:
            "Check the permissions of the file and its folder. In a folder that all users share, another user's file is not written to."
        case ENOSPC, EDQUOT: "Free some space on the disk."
        case ENOENT, EISDIR: "Check the path."
        case EEXIST: "Use another name."
        case EFBIG where operation == .read: "Check that it is the right file."
        case EFBIG: "Raise the limit on the size of files ('ulimit -f' shows it), or write to another file system."
        default: "Check the path and its permissions."
        }
    }

    package static var examples: [FileError] {
        let path = "/home/me/report.pdf"
        return [
            .failed(path: path, .read, code: ENOENT), .failed(path: path, .create, code: EACCES),
            .failed(path: path, .write, code: ENOSPC), .failed(path: path, .rename, code: EACCES),
            .failed(path: path, .remove, code: EACCES), .failed(path: path, .lock, code: EAGAIN),
            .failed(path: path, .lock, code: ENOLCK), .notRegular(path: "/dev/null"), .changed(path: path),
            .malformedCookies(path: "/home/me/cookies", line: 3), .partialFileOfAnotherURL(path: path + ".part"),
            .exposed(path: "/home/me/servers"), .malformedServer(path: "/home/me/servers/localhost_8443.json"),
        ]
    }
}

extension FileError.Operation {
    fileprivate var code: String {
        switch self {
        case .read: "file.read-failed"
        case .create: "file.create-failed"
        case .write: "file.write-failed"
        case .rename: "file.rename-failed"
        case .remove: "file.remove-failed"
        case .lock: "file.lock-failed"
        }
    }

    fileprivate var clause: String {
        switch self {
        case .read: "read"
        case .create: "created"
        case .write: "written"
        case .rename: "renamed"
        case .remove: "removed"
        case .lock: "locked"
        }
    }
}
