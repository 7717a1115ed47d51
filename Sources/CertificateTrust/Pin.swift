// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// A public key that a trusted path must contain: the SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469 section 2.4).
public struct Pin: Hashable, Sendable, CustomStringConvertible {
    /// `sha256/` and the digest in base64.
    public let description: String

    public init(_ text: String) throws(PinError) {
        description = text
    }

    public init(publicKeyOf certificate: Certificate) {
        description = ""
    }
}

public enum PinError: Error, Hashable, Sendable {
    case malformed(String)
}
