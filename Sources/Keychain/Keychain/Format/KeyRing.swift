// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import KeychainAgent
internal import Secrets

/// The keys of an unlocked keychain, each derived from its root key by HKDF with SHA-256 (RFC 5869).
public struct KeyRing: Sendable {
    /// Names the entries of the index.
    let index: SymmetricKey
    /// Authenticates the manifest and the header.
    let manifest: SymmetricKey
    /// Seals what items are found by.
    let attributes: SymmetricKey
    /// Seals the secrets of items of ``KeychainItem/Accessibility/afterFirstUnlock``.
    let afterFirstUnlock: SymmetricKey
    /// Seals the secrets of items of ``KeychainItem/Accessibility/whenUnlocked``; `nil` some time after the unlock.
    let whenUnlocked: SymmetricKey?

    private static let keyByteCount = 32

    init(root: SymmetricKey) {
        let derive = { (label: String) in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: root, info: Array("countersign keychain \(label)".utf8), outputByteCount: 32)
        }
        index = derive("index")
        manifest = derive("manifest")
        attributes = derive("attributes")
        afterFirstUnlock = derive("after first unlock")
        whenUnlocked = derive("when unlocked")
    }

    /// Reads the keys that an agent has held; `nil` where they do not have the form of ``agentKeys``.
    public init?(_ keys: AgentKeys) {
        var bytes = keys.afterFirstUnlock.withUnsafeBytes { Array($0) }
        defer { bytes.erase() }
        guard bytes.count == 4 * Self.keyByteCount else { return nil }
        let key = { (number: Int) in
            SymmetricKey(data: bytes[(number * Self.keyByteCount)..<((number + 1) * Self.keyByteCount)])
        }
        (index, manifest, attributes, afterFirstUnlock) = (key(0), key(1), key(2), key(3))
        whenUnlocked = keys.whenUnlocked.map { $0.withUnsafeBytes { SymmetricKey(data: $0) } }
    }

    /// The keys in the form in which an agent holds them.
    public var agentKeys: AgentKeys {
        var bytes = [index, manifest, attributes, afterFirstUnlock].flatMap { $0.withUnsafeBytes { Array($0) } }
        defer { bytes.erase() }
        return AgentKeys(
            afterFirstUnlock: Secret(utf8: bytes),
            whenUnlocked: whenUnlocked.map { key in Secret(utf8: key.withUnsafeBytes { Array($0) }) })
    }
}
