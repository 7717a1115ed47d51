// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import KeychainAgent
internal import PrivateFiles
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

    /// The key of an item's secret.
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

/// 32 random bytes in a file outside the keychain, without which items and PINs of this device cannot be opened.
public struct DeviceSecret: Sendable {
    let key: SymmetricKey

    /// Reads the device's secret.
    ///
    /// - Parameter path: The file; only its owner may have rights to it and to its folder.
    /// - Returns: The secret; `nil` where there is no file.
    /// - Throws: ``KeychainError/unsafeRights(path:)``, ``KeychainError/cannotUse(path:code:)``, and ``KeychainError/damaged(_:)`` where
    ///   the file does not have 32 bytes.
    public static func read(at path: String) throws(KeychainError) -> DeviceSecret? {
        guard var bytes = try PrivateFile<KeychainError>.read(path, limit: 33) else { return nil }
        defer { bytes.erase() }
        guard bytes.count == 32 else { throw .damaged(.keyFile) }
        return DeviceSecret(key: SymmetricKey(data: bytes))
    }

    /// Reads the device's secret, after making it where there is none.
    ///
    /// - Parameter path: The file; its folder is made where it is missing.
    /// - Returns: The secret, which no other device has.
    /// - Throws: The errors of ``read(at:)``, ``KeychainError/diskFull`` and ``KeychainError/readOnly``.
    public static func readOrCreate(at path: String) throws(KeychainError) -> DeviceSecret {
        if let secret = try read(at: path) { return secret }
        var bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        defer { bytes.erase() }
        try PrivateFile<KeychainError>.create(path, bytes)
        // Of two processes that make it at once, one is first.
        guard let secret = try read(at: path) else { throw .cannotUse(path: path, code: 2) }
        return secret
    }
}
