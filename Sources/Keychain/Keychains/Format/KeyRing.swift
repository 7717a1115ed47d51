// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import KeychainAgents
internal import PrivateFiles
internal import Secrets

/// The keys of an unlocked keychain, each derived from its root key by HKDF with SHA-256 (RFC 5869).
public struct KeyRing: Sendable {
    /// The key of the index tokens.
    let index: SymmetricKey
    /// The authentication key of the manifest and the header.
    let manifest: SymmetricKey
    /// The key that seals the attributes of items.
    let attributes: SymmetricKey
    /// The key that seals the secrets of items with ``KeychainItem/Accessibility/afterFirstUnlock``.
    let afterFirstUnlock: SymmetricKey
    /// The key that seals the secrets of items with ``KeychainItem/Accessibility/whenUnlocked``; `nil` some time after
    /// the unlock.
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

    /// Decodes the keys that an agent held; returns `nil` if they do not have the form of ``agentKeys``.
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

    /// The keys as an agent holds them.
    public var agentKeys: AgentKeys {
        var bytes = [index, manifest, attributes, afterFirstUnlock].flatMap { $0.withUnsafeBytes { Array($0) } }
        defer { bytes.erase() }
        return AgentKeys(
            afterFirstUnlock: Secret(utf8: bytes),
            whenUnlocked: whenUnlocked.map { key in Secret(utf8: key.withUnsafeBytes { Array($0) }) })
    }

    /// Returns the key of an item's secret.
    ///
    /// - Throws: ``KeychainError/unlockNeeded`` and ``KeychainError/notOnThisDevice``.
    func secretKey(
        for accessibility: KeychainItem.Accessibility, device: DeviceSecret?
    ) throws(KeychainError) -> SymmetricKey {
        let key: SymmetricKey
        switch accessibility.availability {
        case .afterFirstUnlock: key = afterFirstUnlock
        case .whenUnlocked:
            guard let whenUnlocked else { throw .unlockNeeded }
            key = whenUnlocked
        }
        guard accessibility.isThisDeviceOnly else { return key }
        guard let device else { throw .notOnThisDevice }
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: device.key.withUnsafeBytes { Array($0) },
            info: Array("countersign keychain this device".utf8), outputByteCount: 32)
    }
}

/// The secret of this device: 32 random bytes in a file outside the keychain, which this-device-only items and PINs
/// require.
struct DeviceSecret: Sendable {
    let key: SymmetricKey

    /// Reads the device secret.
    ///
    /// - Parameter path: The path of the file; only its owner may have access to it and to its folder.
    /// - Returns: The secret; `nil` if there is no file.
    /// - Throws: ``KeychainError/unsafePermissions(path:)``, ``KeychainError/cannotUse(path:code:)``, and
    ///   ``KeychainError/damaged(_:)`` if the file does not have 32 bytes.
    static func read(at path: String) throws(KeychainError) -> DeviceSecret? {
        guard var bytes = try PrivateFile<KeychainError>.read(path, limit: 33) else { return nil }
        defer { bytes.erase() }
        guard bytes.count == 32 else { throw .damaged(.keyFile) }
        return DeviceSecret(key: SymmetricKey(data: bytes))
    }

    /// Reads the device secret, and creates it if there is none.
    ///
    /// - Parameter path: The path of the file; its folder is created if it is missing.
    /// - Returns: The secret, which no other device has.
    /// - Throws: The errors of ``read(at:)``, ``KeychainError/diskFull`` and ``KeychainError/readOnly``.
    static func readOrCreate(at path: String) throws(KeychainError) -> DeviceSecret {
        if let secret = try read(at: path) { return secret }
        var bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        defer { bytes.erase() }
        try PrivateFile<KeychainError>.create(path, bytes)
        // If two processes create the file at the same time, the second one reads what the first one wrote.
        guard let secret = try read(at: path) else { throw .cannotUse(path: path, code: 2) }
        return secret
    }
}
