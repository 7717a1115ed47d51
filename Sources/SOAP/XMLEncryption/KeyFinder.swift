// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import XMLDocuments
internal import XMLSignature

/// Finds the keys of encrypted content (XML Encryption 1.1 section 3.5).
struct KeyFinder {
    let keys: [DecryptionKey]
    let identifiers: IdentifierTable
    /// The `EncryptedKey` elements in the document, by the identifiers of the data that they encrypt.
    let encryptedKeysByReference: [String: [XMLElement]]

    init(_ keys: [DecryptionKey], in tree: XMLTree) throws(XMLEncryptionError) {
        self.keys = keys
        do {
            identifiers = try IdentifierTable(tree)
        } catch {
            guard case .duplicateIdentifier(let identifier) = error else { throw .noEncryptedData }
            throw .duplicateIdentifier(identifier)
        }
        var encryptedKeysByReference: [String: [XMLElement]] = [:]
        tree.root.forEach { element in
            guard element.name == .xenc("EncryptedKey"), let list = element.child(.xenc("ReferenceList")) else {
                return
            }
            for reference in list.children where reference.name == .xenc("DataReference") {
                guard let uri = reference[XMLName("URI")], uri.first == "#" else { continue }
                encryptedKeysByReference[String(uri.dropFirst()), default: []].append(element)
            }
        }
        self.encryptedKeysByReference = encryptedKeysByReference
    }

    /// Returns the keys that may decrypt the data; at most 10.
    func keys(for data: EncryptedMessage, _ algorithm: ContentAlgorithm) throws(XMLEncryptionError) -> [SymmetricKey] {
        var found: [SymmetricKey] = []
        var encrypted: [XMLElement] = []
        var names: [String] = []
        for hint in data.keyInfo?.children ?? [] {
            switch hint.name {
            case .xenc("EncryptedKey"): encrypted.append(hint)
            case XMLName("KeyName", in: XMLName.signatureNamespace): names += hint.text.map { [$0] } ?? []
            case XMLName("RetrievalMethod", in: XMLName.signatureNamespace): encrypted += try referred(by: hint)
            case .wsse("SecurityTokenReference"):
                for reference in hint.children where reference.name == .wsse("Reference") {
                    encrypted += try referred(by: reference)
                }
            default: break
            }
        }
        if encrypted.isEmpty, let identifier = data.element[XMLName("Id")] {
            encrypted = encryptedKeysByReference[identifier] ?? []
        }
        for case .content(let bytes, let name) in keys where encrypted.isEmpty && Self.fits(name, names) {
            found.append(SymmetricKey(data: bytes))
        }
        for element in encrypted.prefix(3) { found += try keys(in: EncryptedMessage(element), algorithm) }
        guard !found.isEmpty else { throw .noKey }
        return Array(found.prefix(10))
    }

    private func referred(by reference: XMLElement) throws(XMLEncryptionError) -> [XMLElement] {
        guard let uri = reference[XMLName("URI")], uri.first == "#" else { throw .externalReference }
        guard let element = identifiers[String(uri.dropFirst())], element.name == .xenc("EncryptedKey") else {
            throw .noKey
        }
        return [element]
    }

    private func keys(in message: EncryptedMessage, _ algorithm: ContentAlgorithm) throws(XMLEncryptionError)
        -> [SymmetricKey]
    {
        // A random key replaces a key that cannot be decrypted, so that the failure is detected only when the
        // content is decrypted.
        let other = SymmetricKey(size: SymmetricKeySize(bitCount: algorithm.keyBits))
        if let transport = try message.transport {
            return keys.compactMap(\.rsa).map { transport.decrypt(message.cipher, with: $0) ?? other }
        }
        guard let wrap = KeyWrap(rawValue: message.algorithm) else { throw .unsupportedAlgorithm(message.algorithm) }
        let names = (message.keyInfo?.children ?? []).filter {
            $0.name == XMLName("KeyName", in: XMLName.signatureNamespace)
        }.compactMap(\.text)
        var found: [SymmetricKey] = []
        for case .shared(let bytes, let name) in keys where bytes.count * 8 == wrap.keyBits && Self.fits(name, names) {
            found.append((try? AES.KeyWrap.unwrap(message.cipher, using: SymmetricKey(data: bytes))) ?? other)
        }
        return found
    }

    private static func fits(_ name: String?, _ names: [String]) -> Bool {
        guard let name, !names.isEmpty else { return true }
        return names.contains(name)
    }
}
