// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a keychain could not be opened, read or written.
///
/// No case holds a secret, a label or a name of an item.
@nonexhaustive
public enum KeychainError: Error, Hashable, Sendable {
    /// The part of the file that was changed after it was written.
    @nonexhaustive
    public enum Part: String, Hashable, Sendable {
        /// The file is no SQLite database, or a broken one.
        case file
        /// The header: the row with the format, the keychain's number and its state.
        case header
        /// A slot for a key.
        case slot
        /// The manifest: the authenticated list of the items.
        case manifest
        /// An item.
        case record
        /// A piece of an attachment.
        case attachment
        /// The file of a key or of the device's secret.
        case keyFile
    }

    /// There is no keychain at the path.
    case notFound(path: String)
    /// The file at the path is no keychain, but of another kind, or empty.
    case notKeychain(path: String)
    /// There is a file at the path already.
    case exists(path: String)
    /// Another user owns the file or its folder, or may read or enter it, or the file is a link.
    case unsafeRights(path: String)
    /// The file is on a network's file system, where SQLite's locks do not hold.
    case networkFileSystem(path: String)
    /// The system refused to open, read or write the file; the code is an `errno`.
    case cannotUse(path: String, code: Int32)
    /// The file was written by another version of this software; the number is its format's.
    case otherVersion(Int64)
    /// Another program changed the keychain's file, or the file is damaged.
    case damaged(Part)
    /// The item with this number, or its secret, cannot be opened; other items can.
    case damagedItem(KeychainItem.ID)
    /// The whole file is older than the remembered state (``Keychain/Places/rememberedStates``).
    case rolledBack
    /// The passphrase, PIN, code or key is not that of the keychain.
    case wrongPassphrase
    /// The keychain has no slot of the kind.
    case noSlot(KeySlot.Kind)
    /// The last slot cannot be removed.
    case lastSlot
    /// Too many wrong PINs; the next guess is allowed at the time.
    case tooManyAttempts(until: Date)
    /// Too many wrong PINs, so that the PIN's slot was erased.
    case erased
    /// The PIN has fewer characters than this number.
    case shortPIN(least: Int)
    /// The recovery code has a mistake.
    case malformedRecoveryCode
    /// The key file has fewer than 32 bytes or more than 1,024.
    case unsuitableKeyFile
    /// The item can be read only some minutes after an unlock.
    case unlockNeeded
    /// The change needs a new unlock by passphrase, because it is about the keys.
    case rootKeyNeeded
    /// The item can be read only on the device where it was added.
    case notOnThisDevice
    /// There is no item with this number.
    case noItem(KeychainItem.ID)
    /// The item with this number is the same item: an item is stored once.
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
    /// The program `secret-tool`, which reaches the desktop's keyring, is missing.
    case noSecretService
    /// The ``KeyHolder`` has no key for the keychain.
    case noHeldKey
    /// The desktop's keyring did not answer, or refused.
    case secretServiceFailed
    /// There is not enough memory for the function that derives a key from the passphrase.
    case outOfMemory
}
