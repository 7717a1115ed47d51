// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets
internal import SwiftASN1
package import X509

extension IdentityContents {
    /// Reads the contents of a file: certificates and keys in PEM or DER, PKCS#7 or PKCS#12.
    ///
    /// - Parameters:
    ///   - bytes: The file, of at most 8 MiB.
    ///   - passphrase: For an encrypted key or a PKCS#12 file. Without one, encrypted contents are left out, ``isLocked`` is `true`,
    ///     and the integrity of a PKCS#12 file is not checked.
    ///   - privateKeys: Whether ``Key/privateKey`` is set.
    /// - Throws: ``IdentityError/wrongPassphrase``, and every other ``IdentityError`` but
    ///   ``IdentityError/passphraseNeeded``.
    public init(
        of bytes: some Collection<UInt8>, passphrase: Secret? = nil, privateKeys: PrivateKeys = .omitted
    ) throws(IdentityError) {
        let bytes = Array(bytes)
        let items = try EncodedItem.items(inAnyFile: bytes)
        if case .pkcs12(let der)? = items.first, items.count == 1 {
            try self.init(pkcs12: der, passphrase: passphrase, privateKeys: privateKeys)
        } else {
            self.init(PEMBlock.isLikely(bytes) ? .pem : items.contains(where: \.isPKCS7) ? .pkcs7 : .der)
            try read(items, passphrase: passphrase, privateKeys: privateKeys)
        }
    }

    private mutating func read(
        _ items: [EncodedItem], passphrase: Secret?, privateKeys: PrivateKeys
    ) throws(IdentityError) {
        certificates = try CertificateFile.certificates(items)
        otherContents = items.compactMap(\.otherName)
        let keyItems = items.filter(\.isPrivateKey)
        guard keyItems.count <= SafeReader.mostKeys else { throw .tooLarge(.elements, limit: SafeReader.mostKeys) }
        var budget = WorkBudget()
        for item in keyItems {
            try read(keyItem: item, passphrase: passphrase, privateKeys: privateKeys, budget: &budget)
        }
        set(encryptions: encryptions)
        let leaves = Dictionary(certificates.map { ($0.publicKey, $0) }, uniquingKeysWith: { first, _ in first })
        identities = keys.compactMap { key in key.publicKey.flatMap { leaves[$0] } }.map(pair)
    }

    private mutating func read(
        keyItem item: EncodedItem, passphrase: Secret?, privateKeys: PrivateKeys, budget: inout WorkBudget
    ) throws(IdentityError) {
        let encryption = try item.protection()
        if let encryption { encryptions.append(encryption) }
        do throws(IdentityError) {
            guard let key = try item.privateKey(passphrase: passphrase, budget: &budget),
                !keys.contains(where: { $0.publicKey == key.publicKey })
            else { return }
            keys.append(Key(key, encryption: encryption, friendlyName: nil, privateKeys))
        } catch .passphraseNeeded {
            isLocked = true
            keys.append(Key(lockedBy: encryption, friendlyName: nil))
        }
    }

    private init(pkcs12 der: [UInt8], passphrase: Secret?, privateKeys: PrivateKeys) throws(IdentityError) {
        self.init(.pkcs12)
        let file = try PFX(der)
        integrity = file.mac?.protection
        var reader: SafeReader
        do throws(IdentityError) {
            reader = try SafeReader(file, passphrase: passphrase, budget: WorkBudget())
        } catch .passphraseNeeded {
            isLocked = true
            reader = SafeReader(passphrase: nil, isAuthenticated: false, budget: WorkBudget(), skipsEncrypted: true)
            try reader.read(authenticatedSafe: file.content)
        }
        certificates = reader.certificates.map(\.certificate)
        trustedCertificates = reader.certificates.filter(\.attributes.isTrusted).map(\.certificate)
        friendlyNames = reader.friendlyNames
        set(encryptions: reader.protections)
        ignoredBagCount = reader.ignoredBags
        keys = reader.keys.map {
            Key($0.key, encryption: $0.encryption, friendlyName: $0.attributes.friendlyName, privateKeys)
        }
        keys += reader.lockedKeys.map { Key(lockedBy: $0.encryption, friendlyName: $0.attributes.friendlyName) }
        identities = reader.keys.compactMap(reader.leaf).map(pair)
    }

    /// Sets the encryptions, each once.
    private mutating func set(encryptions: [PasswordProtection]) {
        var seen: Set<PasswordProtection> = []
        self.encryptions = encryptions.filter { seen.insert($0).inserted }
    }

    /// A certificate with its issuers, as far as the file has them, leaf first.
    package func chain(of leaf: Certificate) -> [Certificate] {
        [leaf] + IssuerPath(from: leaf, among: certificates).issuers
    }

    private func pair(_ leaf: Certificate) -> Pair {
        Pair(chain: chain(of: leaf), friendlyName: friendlyName(of: leaf))
    }
}

extension IdentityContents.Key {
    fileprivate init(
        _ key: Certificate.PrivateKey, encryption: PasswordProtection?, friendlyName: String?,
        _ privateKeys: IdentityContents.PrivateKeys
    ) {
        type = key.publicKey.typeName
        publicKey = key.publicKey
        self.encryption = encryption
        self.friendlyName = friendlyName
        privateKey = privateKeys == .included ? key : nil
    }

    fileprivate init(lockedBy encryption: PasswordProtection?, friendlyName: String?) {
        type = nil
        publicKey = nil
        self.encryption = encryption
        self.friendlyName = friendlyName
        privateKey = nil
    }
}
