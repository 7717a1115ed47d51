// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// How a message is encrypted.
public struct MessageEncryption: Sendable {
    /// Whose key decrypts it.
    public var recipient: Certificate

    /// Encryption for a recipient.
    public init(for recipient: Certificate) { self.recipient = recipient }
}

extension SecurityHeaderWriter {
    func add(_ encryption: MessageEncryption) throws(WSSecurityError) {}
}
