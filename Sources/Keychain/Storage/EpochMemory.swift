// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import KeychainAgent

/// Remembers a keychain's epoch in a file elsewhere, so that an older copy of the whole file is noticed.
struct EpochMemory {
    let path: String

    /// - Throws: ``KeychainError/rolledBack`` where the keychain is older than remembered.
    func check(_ header: Header, _ keys: KeyRing) throws(KeychainError) {
        guard let bytes = try PrivateFile.read(path, count: 56) else { return }
        // What is of another keychain, or was changed, says nothing.
        guard bytes.prefix(16).elementsEqual(header.id.bytes),
            bytes.suffix(32).elementsEqual(code(bytes.prefix(24), keys))
        else { return }
        let epoch = bytes[16..<24].reduce(0) { $0 << 8 | Int64($1) }
        guard header.epoch >= epoch else { throw .rolledBack }
    }

    func remember(_ header: Header, _ keys: KeyRing) throws(KeychainError) {
        var writer = FieldWriter()
        writer.number(header.epoch)
        let bytes = header.id.bytes + writer.bytes
        try PrivateFile.replace(path, bytes + code(bytes, keys))
    }

    private func code(_ bytes: some Collection<UInt8>, _ keys: KeyRing) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("epoch".utf8) + bytes, using: keys.manifest))
    }
}
