// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1
internal import X509

extension Identity {
    /// The chain as PEM (RFC 7468), leaf first, each block ending in a line feed.
    public var pemEncodedChain: [UInt8] {
        get throws(IdentityError) {
            var text: [UInt8] = []
            for certificate in chain {
                guard let document = try? certificate.serializeAsPEM() else { throw .malformed(.certificate) }
                text += Self.lines(document)
            }
            return text
        }
    }

    /// The private key as PEM, not encrypted: write it only to a file that nobody else can read.
    ///
    /// It throws ``IdentityError/keyNotExportable`` for a key that cannot leave the device that holds it.
    public var pemEncodedPrivateKey: [UInt8] {
        get throws(IdentityError) {
            guard let document = try? privateKey.serializeAsPEM() else { throw .keyNotExportable }
            return Self.lines(document)
        }
    }

    private static func lines(_ document: PEMDocument) -> [UInt8] {
        Array(document.pemString.utf8) + [UInt8(ascii: "\n")]
    }
}
