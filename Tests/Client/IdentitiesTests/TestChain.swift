// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import SwiftASN1
import X509

/// A chain of a root, two authorities and a leaf, made once.
struct TestChain {
    let key = P256.Signing.PrivateKey()
    /// The certificates, leaf first and root last.
    let certificates: [Certificate]

    init(leafKey: Certificate.PrivateKey? = nil) throws {
        var keys = (0..<3).map { _ in Certificate.PrivateKey(P256.Signing.PrivateKey()) }
        keys.append(leafKey ?? Certificate.PrivateKey(key))
        let names = try ["root", "upper", "lower", "leaf"].map { name in try DistinguishedName { CommonName(name) } }
        certificates = try names.indices.reversed().map { index in
            try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: keys[index].publicKey,
                notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 1e9),
                issuer: names[max(index - 1, 0)], subject: names[index], extensions: Certificate.Extensions(),
                issuerPrivateKey: keys[max(index - 1, 0)]
            )
        }
    }

    var pem: [String] {
        get throws { try certificates.map { try $0.serializeAsPEM().pemString + "\n" } }
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
