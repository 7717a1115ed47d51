// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import EssentialFoundation
internal import POSIX
internal import PrivateFiles

/// An error that occurs while opening, reading or writing a keychain.
///
/// No case contains a secret, a label or a name of an item.
@nonexhaustive
public enum KeychainError: Error, Hashable, Sendable {
    /// The part of the file that was changed after it was written.
    @nonexhaustive
    public enum Part: String, Hashable, Sendable {
        /// The file is damaged, or is not a SQLite database.
        case file
        /// The header row, with the format, the keychain's identifier and its state.
        case header
        /// A key slot.
        case slot
        /// The manifest: the authenticated list of the items.
        case manifest
        /// An item.
        case record
        /// A chunk of an attachment.
        case attachment
        /// The key file or the file of the device secret.
        case keyFile
    }

    /// There is no keychain at the path.
    case notFound(path: String)
    /// The file at the path is not a keychain, or is empty.
    case notKeychain(path: String)
    /// A file already exists at the path.
    case exists(path: String)
    /// Another user owns or has access to the file or its folder, or the file is a link.
    case unsafePermissions(path: String)
    /// The file is on a network file system, on which SQLite's locks are unreliable.
    case networkFileSystem(path: String)
    /// The system refused to open, read or write the file; the code is an `errno`.
    case cannotUse(path: String, code: Int32)
    /// The URL does not name a file on this machine; holds the URL without user, password and query.
    case notAFile(url: String)
    /// The file was written by another version of this software; the number is the file's format version.
    case otherVersion(Int64)
    /// Another program changed the keychain's file, or the file is damaged.
    case damaged(Part)
    /// The item with this number, or its secret, cannot be opened; other items can.
    case damagedItem(KeychainItem.ID)
    /// The keychain file is older than the remembered state (``Keychain/Places/rememberedStates``).
    case rolledBack
    /// The passphrase, PIN, code or key is wrong.
    case wrongPassphrase
    /// The keychain has no slot of this kind.
    case noSlot(KeySlot.Kind)
    /// The last slot cannot be removed.
    case lastSlot
    /// Too many wrong PINs were entered; the next guess is allowed at the given time.
    case tooManyAttempts(until: Date)
    /// Too many wrong PINs were entered, so the PIN's slot was erased.
    case erased
    /// The PIN has fewer characters than this number.
    case shortPIN(minimum: Int)
    /// The recovery code is malformed or mistyped.
    case malformedRecoveryCode
    /// The key file has fewer than 32 bytes or more than 1,024.
    case unsuitableKeyFile
    /// The item can be read only within some minutes of an unlock.
    case unlockNeeded
    /// The change concerns the keys, and needs a new unlock with the passphrase.
    case rootKeyNeeded
    /// The item can be read only on the device where it was added.
    case notOnThisDevice
    /// There is no item with this number.
    case noItem(KeychainItem.ID)
    /// The item with this number has the same identity, and an item is stored only once.
    case itemExists(KeychainItem.ID)
    /// The certificate or the key cannot be encoded.
    case unsupportedCertificate
    /// The note has no attachment with this name.
    case noAttachment(String)
    /// There is no space left for the file; nothing was changed.
    case diskFull
    /// The file cannot be written; nothing was changed.
    case readOnly
    /// Another program held the file's lock for more than ten seconds.
    case busy
    /// The program `secret-tool`, which gives access to the desktop's keyring, is missing.
    case noSecretService
    /// The ``KeyHolder`` has no key for the keychain.
    case noHeldKey
    /// The desktop's keyring did not respond, or refused access.
    case secretServiceFailed
    /// There is not enough memory to derive a key from the passphrase.
    case outOfMemory
}

extension KeychainError: CataloguedError {
    /// The error's code, message, reason and advice.
    public var explanation: ErrorExplanation {
        switch self {
        case .notFound(let path):
            ErrorExplanation(
                "keychain.not-found", "There is no keychain at \(path.printable).",
                reason: "It was not created there, or is elsewhere.",
                advice: "Make one, or name the file.")
        case .notKeychain(let path):
            ErrorExplanation(
                "keychain.not-keychain", "The file \(path.printable) is not a keychain.",
                reason: "It does not begin as one: it is of another kind, or was emptied or overwritten.",
                advice: "Name the file of a keychain. If this was one, restore a backup.")
        case .exists(let path):
            ErrorExplanation(
                "keychain.exists", "There is a file at \(path.printable) already.",
                reason: "A keychain never takes the place of another file.",
                advice: "Name another file, or move the one that is there.")
        case .unsafePermissions(let path):
            ErrorExplanation(
                "keychain.unsafe-rights", "Other users can access \(path.printable).",
                reason:
                    "A keychain is a file of its owner with the permissions 0600, in a folder with the permissions 0700, and not a link.",
                advice: "Make yourself the owner, and remove all permissions of others (chmod go-rwx).")
        case .networkFileSystem(let path):
            ErrorExplanation(
                "keychain.network-file-system",
                "The keychain \(path.printable) is on the file system of another machine.",
                reason: "Locks do not hold there, so two programs could destroy the keychain.",
                advice: "Keep it on a local disk, and copy backups.")
        case .cannotUse(let path, let code):
            ErrorExplanation(
                "keychain.cannot-use", "The file \(path.printable) cannot be used: \(systemErrorText(code)).",
                systemCode: code,
                reason: "The system refused to open or to write it.",
                advice: "Check the path and its permissions.")
        case .notAFile(let url): .notAFile("keychain.not-a-file", url)
        case .otherVersion(let version):
            ErrorExplanation(
                "keychain.other-version", "The keychain has format \(version), and this software knows format 1.",
                reason: "It was written by another version of this software, or was changed.",
                advice: "Use the newest version.")
        case .damaged(let part):
            ErrorExplanation(
                "keychain.damaged", "The keychain is damaged: its \(part.rawValue) is not as it was written.",
                reason: "The disk failed, or someone changed the file. Nothing of that part is used.",
                advice: "Save all that can be read in a new file, or restore a backup. Check the disk.")
        case .damagedItem(let id):
            ErrorExplanation(
                "keychain.damaged-item", "Item \(id) is damaged: it is not as it was written.",
                reason: "The disk failed, or someone changed the file. Other items can be read.",
                advice: "Save all that can be read in a new file, or restore a backup. Check the disk.")
        case .rolledBack:
            ErrorExplanation(
                "keychain.rolled-back", "The keychain is older than when it was last opened on this device.",
                reason: "An old copy of the file was put in its place. Passwords may be out of date.",
                advice: "If you restored a backup yourself, accept the older state explicitly.")
        case .wrongPassphrase:
            ErrorExplanation(
                .notAuthenticated, "keychain.wrong-passphrase",
                "The passphrase, PIN, code or key does not open the keychain.",
                reason: "It is mistyped, or belongs to another keychain.",
                advice: "Try again, or use another unlock method, such as the recovery code.")
        case .noSlot(let kind):
            ErrorExplanation(
                "keychain.no-slot", "The keychain cannot be unlocked by a \(kind.words).",
                reason: "It has no slot for one.",
                advice: "Unlock it by the passphrase, and add a slot.")
        case .lastSlot:
            ErrorExplanation(
                "keychain.last-slot", "The last unlock method of the keychain cannot be removed.",
                reason: "Nothing could open it any more.",
                advice: "Add another one first.")
        case .tooManyAttempts(let until):
            ErrorExplanation(
                .notAuthenticated, "keychain.too-many-attempts",
                "Too many wrong PINs: the next is allowed at \(until.formatted(.iso8601)).",
                reason: "A PIN is short, so guessing is slowed.",
                advice: "Wait, or unlock by the passphrase.")
        case .erased:
            ErrorExplanation(
                .notAuthenticated, "keychain.erased", "Too many wrong PINs: the PIN was erased.",
                reason: "The keychain is configured to erase it.",
                advice: "Unlock it by the passphrase, and add a new PIN.")
        case .shortPIN(let minimum):
            ErrorExplanation(
                "keychain.short-pin", "The PIN has fewer than \(minimum) characters.",
                reason: "An attacker with this device's files can try all four-digit PINs within two hours.",
                advice: "Use a longer one, or allow a short PIN explicitly.")
        case .malformedRecoveryCode:
            ErrorExplanation(
                "keychain.malformed-recovery-code", "The recovery code has a mistake.",
                reason: "A character is missing or mistyped, as the last four characters show.",
                advice: "Compare it with the paper, group by group.")
        case .unsuitableKeyFile:
            ErrorExplanation(
                "keychain.unsuitable-key-file", "The key file has fewer than 32 bytes, or more than 1,024.",
                reason: "A key file holds random bytes, such as 32 bytes of /dev/urandom.",
                advice: "Name another file, or make one.")
        case .unlockNeeded:
            ErrorExplanation(
                .notAuthenticated, "keychain.unlock-needed", "The item can be read only some minutes after an unlock.",
                reason: "Its accessibility is \"when unlocked\", and the last unlock is longer ago.",
                advice: "Unlock the keychain again.")
        case .rootKeyNeeded:
            ErrorExplanation(
                .notAuthenticated, "keychain.root-key-needed", "The change needs a new unlock.",
                reason: "It concerns the keychain's keys, and an agent does not hold the root key.",
                advice: "Give the passphrase.")
        case .notOnThisDevice:
            ErrorExplanation(
                "keychain.not-on-this-device", "The item or the PIN belongs to another device.",
                reason: "It depends on a secret that is stored on the device on which it was added.",
                advice: "Use that device, or unlock by the passphrase.")
        case .noItem(let id):
            ErrorExplanation(
                "keychain.no-item", "There is no item \(id).",
                reason: "It was removed, or is of another keychain.",
                advice: "List the items.")
        case .itemExists(let id):
            ErrorExplanation(
                "keychain.item-exists", "Item \(id) is the same item already. Nothing was changed.",
                reason:
                    "One password is stored for a user at a server or for an account of a program, and one item for a certificate.",
                advice: "Change that item instead.")
        case .unsupportedCertificate:
            ErrorExplanation(
                "keychain.unsupported-certificate", "The certificate or the key cannot be stored.",
                reason: "It cannot be encoded, for instance because the key is in a device.",
                advice: "Import it from a file.")
        case .noAttachment(let name):
            ErrorExplanation(
                "keychain.no-attachment", "The note has no attachment \"\(name.printable)\".",
                reason: "Its attachments have other names.",
                advice: "List them, and use the exact name.")
        case .diskFull:
            ErrorExplanation(
                "keychain.disk-full", "There is no space left for the keychain's file. Nothing was changed.",
                reason: "The disk or the user's share of it is full.",
                advice: "Free some space, and do it again.")
        case .readOnly:
            ErrorExplanation(
                "keychain.read-only", "The keychain's file cannot be written. Nothing was changed.",
                reason: "The file or the disk is read-only.",
                advice: "Change its permissions, or copy it elsewhere.")
        case .busy:
            ErrorExplanation(
                "keychain.busy", "Another program is writing to the keychain.",
                reason: "The wait timed out after ten seconds.",
                advice: "Wait for the other program to end, and try again.")
        case .noSecretService:
            ErrorExplanation(
                "keychain.no-secret-service", "The program secret-tool was not found.",
                reason: "It gives access to the desktop's keyring, which stores a key for this keychain.",
                advice: "Install it (libsecret-tools on Debian), or unlock the keychain by the passphrase.")
        case .noHeldKey:
            ErrorExplanation(
                "keychain.no-held-key", "The desktop's keyring has no key for this keychain.",
                reason: "The key was removed there, or the keychain was copied from another machine.",
                advice: "Unlock the keychain by the passphrase, and add the slot again.")
        case .secretServiceFailed:
            ErrorExplanation(
                "keychain.secret-service-failed", "The desktop's keyring did not answer, or refused.",
                reason: "None runs in this session, it is locked, or its question was not answered within a minute.",
                advice: "Unlock the desktop's keyring, or unlock the keychain by the passphrase.")
        case .outOfMemory:
            ErrorExplanation(
                "keychain.out-of-memory", "There is not enough memory to unlock the keychain.",
                reason: "Deriving the key from the passphrase needs 128 MiB or more, so that guessing is expensive.",
                advice: "Close other programs.")
        }
    }

    package static var examples: [KeychainError] {
        let path = "/home/me/keys/keychain.sqlite"
        return [
            .notFound(path: path), .notKeychain(path: "/home/me/photo.jpg"), .exists(path: path),
            .unsafePermissions(path: path), .networkFileSystem(path: path),
            .cannotUse(path: path, code: 13), .notAFile(url: "https://a.example/keychain.sqlite"), .otherVersion(2),
            .damaged(.manifest),
            .damagedItem(KeychainItem.ID(7)), .rolledBack, .wrongPassphrase,
            .noSlot(.pin), .lastSlot, .tooManyAttempts(until: Date(timeIntervalSince1970: 1_790_000_000)), .erased,
            .shortPIN(minimum: 6), .malformedRecoveryCode, .unsuitableKeyFile, .unlockNeeded, .rootKeyNeeded,
            .notOnThisDevice, .noItem(KeychainItem.ID(7)), .itemExists(KeychainItem.ID(7)), .unsupportedCertificate,
            .noAttachment("photo.png"),
            .diskFull, .readOnly, .busy, .noSecretService, .noHeldKey, .secretServiceFailed, .outOfMemory,
        ]
    }
}

extension KeySlot.Kind {
    /// The name of the part, for use within a sentence.
    fileprivate var words: String {
        switch self {
        case .passphrase: "passphrase"
        case .pin: "PIN"
        case .recoveryCode: "recovery code"
        case .keyFile: "key file"
        case .holder: "key of the desktop"
        }
    }
}

extension KeychainError: PrivateFileFailure {
    static func exposed(_ path: String) -> Self { .unsafePermissions(path: path) }
    static func notAFile(_ url: String) -> Self { .notAFile(url: url) }

    static func refused(_ path: String, code: Int32) -> Self {
        switch code {
        case ENOSPC, EDQUOT: .diskFull
        case EROFS: .readOnly
        default: .cannotUse(path: path, code: code)
        }
    }
}
