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

    /// The certificate in DER, as it was read.
    func derEncoded() throws(IdentityError) -> [UInt8] {
        try DER.encode(.certificate) { try $0.serialize(self) }
    }
}
