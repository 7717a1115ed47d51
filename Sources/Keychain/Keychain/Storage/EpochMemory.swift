// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import KeychainAgent

/// Remembers a keychain's epoch in a file elsewhere, so that an older copy of the whole file is noticed.
///
/// A writer remembers its epoch after the commit, so the memory is never ahead of the file. A reader reads the memory first and the file
/// second, so a commit between the two makes the file newer, not older. The memory itself changes under a lock and only grows, except where
/// a user accepts an older state.
struct EpochMemory {
    let path: String
    let keychain: KeychainID
    let keys: KeyRing

    /// The remembered epoch; 0 for none.
    ///
    /// - Throws: ``KeychainError``, such as ``KeychainError/unsafeRights(path:)``.
    func epoch() throws(KeychainError) -> Int64 {
        guard let bytes = try PrivateFile.read(path, count: 56) else { return 0 }
        // A memory of another keychain, or one that was changed, says nothing.
        guard bytes.prefix(16).elementsEqual(keychain.bytes), bytes.suffix(32).elementsEqual(code(bytes.prefix(24)))
        else { return 0 }
        return bytes[16..<24].reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Remembers an epoch, unless a later one is remembered.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the file.
    ///   - accepted: The remembered epoch in whose place an older one was accepted; a later one that another process remembered since stays.
    /// - Throws: ``KeychainError``, such as ``KeychainError/diskFull``.
    func remember(_ epoch: Int64, insteadOf accepted: Int64? = nil) throws(KeychainError) {
        try PrivateFile.locked(path) { () throws(KeychainError) in
            let known = try self.epoch()
            guard epoch > known || (accepted == known && epoch < known) else { return }
            var writer = FieldWriter()
            writer.number(epoch)
            let bytes = keychain.bytes + writer.bytes
            try PrivateFile.replace(path, bytes + code(bytes))
        }
    }

    private func code(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("epoch".utf8) + bytes, using: keys.manifest))
    }
}
