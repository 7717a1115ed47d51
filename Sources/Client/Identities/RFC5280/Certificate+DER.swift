// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1
internal import X509

extension Certificate {
    /// Reads a certificate, and names what is not supported of one that cannot be read.
    static func read(der: [UInt8]) throws(IdentityError) -> Certificate {
        try BERWalk.check(der[...], as: .certificate)
        do {
            return try Certificate(derEncoded: der)
        } catch {
            guard let outline = try? CertificateOutline(der) else { throw .malformed(.certificate) }
            if let name = try? outline.unsupportedKey() { throw .unsupported(name) }
            if (error as? CertificateError)?.code == .unsupportedSignatureAlgorithm {
                throw .unsupported(outline.signatureName)
            }
            throw .malformed(.certificate)
        }
    }

    /// Checks that a certificate can be an anchor: its key must be supported, and its own signature, which is not checked, may be by any algorithm.
    static func check(anchor der: [UInt8]) throws(IdentityError) {
        do {
            _ = try read(der: der)
        } catch .unsupported(let name) {
            guard let outline = try? CertificateOutline(der), outline.signatureName == name else {
                throw .unsupported(name)
            }
            if let key = try outline.unsupportedKey() { throw .unsupported(key) }
        }
    }

    /// The certificate in DER, as it was read.
    func derEncoded() throws(IdentityError) -> [UInt8] {
        try DER.encode(.certificate) { try $0.serialize(self) }
    }
}
