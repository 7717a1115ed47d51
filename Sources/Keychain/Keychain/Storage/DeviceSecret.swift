// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets

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
        guard var bytes = try PrivateFile.read(path, count: 32) else { return nil }
        defer { bytes.erase() }
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
        try PrivateFile.create(path, bytes)
        // Of two processes that make it at once, one is first.
        guard let secret = try read(at: path) else { throw .cannotUse(path: path, code: 2) }
        return secret
    }
}

extension KeyRing {
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
