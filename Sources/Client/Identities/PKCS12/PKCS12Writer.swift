// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets
internal import SwiftASN1
internal import X509

/// Writes the safes of a PKCS#12 file and its integrity check (RFC 7292 section 4).
struct PKCS12Writer {
    let passphrase: Secret
    let encryption: PKCS12.Encryption

    /// Writes the certificates as one encrypted safe, and the keys as separately encrypted bags, as OpenSSL does.
    func authenticatedSafe(
        _ certificateBags: [[UInt8]], _ entries: [PKCS12.Entry], random: inout some RandomNumberGenerator
    ) throws(IdentityError) -> [UInt8] {
        var safes: [[UInt8]] = []
        if !certificateBags.isEmpty {
            safes.append(try encryptedSafe(try safeContents(certificateBags), random: &random))
        }
        var keyBags: [[UInt8]] = []
        for entry in entries {
            let key = try EncryptedPrivateKeyInfo.encode(
                entry.identity.privateKey, with: encryption.scheme, passphrase: passphrase, random: &random)
            keyBags.append(try BagWriter.keyBag(key, of: entry))
        }
        if !keyBags.isEmpty { safes.append(try plainSafe(try safeContents(keyBags))) }
        return try safeContents(safes)
    }

    /// Writes the outer SEQUENCE around an AuthenticatedSafe.
    func file(_ authenticatedSafe: [UInt8], salt: [UInt8]) throws(IdentityError) -> [UInt8] {
        let mac = try macData(authenticatedSafe, salt: salt)
        return try DER.sequence(.pkcs12) { file in
            try file.serialize(3)
            try file.contentInfo(.data) { try $0.octets(authenticatedSafe) }
            file.serializeRawBytes(mac)
        }
    }

    private func safeContents(_ elements: [[UInt8]]) throws(IdentityError) -> [UInt8] {
        try DER.sequence(.pkcs12) { sequence in
            for element in elements { sequence.serializeRawBytes(element) }
        }
    }

    private func plainSafe(_ contents: [UInt8]) throws(IdentityError) -> [UInt8] {
        try DER.encode(.pkcs12) { serializer in try serializer.contentInfo(.data) { try $0.octets(contents) } }
    }

    /// Writes a safe as EncryptedData (RFC 5652 section 8).
    private func encryptedSafe(
        _ contents: [UInt8], random: inout some RandomNumberGenerator
    ) throws(IdentityError) -> [UInt8] {
        let encryptor = try PasswordEncryptor(
            contents, with: encryption.scheme, passphrase: passphrase, random: &random)
        return try DER.encode(.pkcs12) { serializer in
            try serializer.contentInfo(.encryptedData) { content in
                try content.appendConstructedNode(identifier: .sequence) { encryptedData in
                    try encryptedData.serialize(0)
                    try encryptedData.appendConstructedNode(identifier: .sequence) { info in
                        try info.serialize(ASN1ObjectIdentifier.data)
                        info.serializeRawBytes(encryptor.algorithm)
                        let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
                        info.appendPrimitiveNode(identifier: tag) { $0 += encryptor.ciphertext }
                    }
                }
            }
        }
    }

    /// Returns the MacData with an HMAC and the PKCS#12 key derivation, because few readers support PBMAC1 yet.
    private func macData(_ content: [UInt8], salt: [UInt8]) throws(IdentityError) -> [UInt8] {
        let hash = encryption.integrity
        let derivation = PKCS12KeyDerivation(hash: hash, salt: salt, iterations: encryption.iterations)
        let password = PasswordForms(passphrase).bmpStrings[0]
        let code = hash.code(of: content, key: derivation.key(.integrity, from: password, length: hash.byteCount))
        return try DER.sequence(.messageAuthenticationCode) { macData in
            try macData.appendConstructedNode(identifier: .sequence) { digestInfo in
                try digestInfo.algorithmWithNull(hash.identifier)
                try digestInfo.octets(code)
            }
            try macData.octets(salt)
            try macData.serialize(encryption.iterations)
        }
    }
}

/// Writes bags and their attributes (RFC 7292 section 4.2).
enum BagWriter {
    /// Returns bags for the certificates of all chains and the additional
    /// ones, without duplicates; a leaf has its identity's attributes.
    static func certificateBags(
        _ entries: [PKCS12.Entry], _ certificates: [Certificate]
    ) throws(IdentityError) -> [[UInt8]] {
        var bags: [[UInt8]] = []
        var written: Set<Certificate> = []
        for entry in entries where written.insert(entry.identity.certificate).inserted {
            bags.append(try certificateBag(entry.identity.certificate, attributes: try attributes(of: entry)))
        }
        for certificate in entries.flatMap(\.identity.chain) + certificates
        where written.insert(certificate).inserted {
            bags.append(try certificateBag(certificate, attributes: []))
        }
        return bags
    }

    /// Returns a bag for an encrypted key, in DER, with its identity's attributes.
    static func keyBag(_ encryptedKey: [UInt8], of entry: PKCS12.Entry) throws(IdentityError) -> [UInt8] {
        try bag(.shroudedKeyBag, attributes: try attributes(of: entry)) { $0.serializeRawBytes(encryptedKey) }
    }

    private static func certificateBag(
        _ certificate: Certificate, attributes: [[UInt8]]
    ) throws(IdentityError) -> [UInt8] {
        let der = try certificate.derEncoded()
        return try bag(.certificateBag, attributes: attributes) { value in
            try value.appendConstructedNode(identifier: .sequence) { bag in
                try bag.serialize(ASN1ObjectIdentifier.x509Certificate)
                try bag.explicit(0) { try $0.octets(der) }
            }
        }
    }

    private static func bag(
        _ type: ASN1ObjectIdentifier, attributes: [[UInt8]], value: (inout DER.Serializer) throws -> Void
    ) throws(IdentityError) -> [UInt8] {
        try DER.sequence(.pkcs12) { bag in
            try bag.serialize(type)
            try bag.explicit(0, value)
            guard !attributes.isEmpty else { return }
            bag.appendConstructedNode(identifier: .set) { set in
                // DER sorts the elements of a SET OF by their encodings (X.690 section 11.6).
                for attribute in attributes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                    set.serializeRawBytes(attribute)
                }
            }
        }
    }

    /// Returns the attributes of an entry; its local key identifier, which links key and certificate, is the
    /// certificate's SHA-1 hash, as in OpenSSL.
    private static func attributes(of entry: PKCS12.Entry) throws(IdentityError) -> [[UInt8]] {
        let identifier = Array(Insecure.SHA1.hash(data: try entry.identity.certificate.derEncoded()))
        var attributes = [try attribute(.localKeyIdentifier) { try $0.octets(identifier) }]
        if let name = entry.friendlyName {
            attributes.append(
                try attribute(.friendlyName) { values in
                    values.appendPrimitiveNode(identifier: .bmpString) { bytes in
                        for unit in name.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xff)] }
                    }
                })
        }
        return attributes
    }

    private static func attribute(
        _ type: ASN1ObjectIdentifier, value: (inout DER.Serializer) throws -> Void
    ) throws(IdentityError) -> [UInt8] {
        try DER.sequence(.attribute) { attribute in
            try attribute.serialize(type)
            try attribute.appendConstructedNode(identifier: .set, value)
        }
    }
}
