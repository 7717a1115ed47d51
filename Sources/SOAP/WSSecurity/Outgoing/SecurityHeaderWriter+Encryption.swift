// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLEncryption
internal import XMLSignature

extension SecurityHeaderWriter {
    /// Encrypts parts of the message, and puts their key first into the header, where a receiver needs it.
    func add(_ encryption: MessageEncryption) throws(WSSecurityError) {
        var encryptor = XMLEncryptor(for: .certificate(encryption.recipient, encryption.transport))
        encryptor.algorithm = encryption.algorithm
        let (keyName, tokenName) = (identifier("EK"), identifier("X509"))
        let parts = try encryption.parts.map { part throws(WSSecurityError) in try elements(of: part) }
        let keyInfo = try encryption.reference.element(to: encryption.recipient, token: tokenName)
        let encryptedKey = try inEncryption { () throws(XMLEncryptionError) in
            let key = try encryptor.newKey()
            var names: [String] = []
            for (part, elements) in zip(encryption.parts, parts) {
                for element in elements {
                    names.append(identifier("ED"))
                    _ = try encryptor.encrypt(
                        element, in: envelope.tree, as: part == .body ? .content : .element, with: key,
                        identifier: names.last, keyInfo: Self.reference(toKey: keyName))
                }
            }
            return try encryptor.encryptedKey(of: key, identifier: keyName, keyInfo: keyInfo, references: names)
        }
        try prepend(encryptedKey)
        if let token = try encryption.reference.token(of: [encryption.recipient], identifier: tokenName) {
            try prepend(token)
        }
    }

    private func elements(of part: MessageEncryption.Part) throws(WSSecurityError) -> [XMLElement] {
        let found =
            switch part {
            case .body: [envelope.body]
            case .signature: security.children.filter { $0.name == .signature }
            case .usernameToken: security.children.filter { $0.name == .wsse("UsernameToken") }
            case .header(let name): (envelope.header?.children ?? []).filter { $0.name == name && $0 != security }
            }
        guard !found.isEmpty else { throw part.messagePart.map { .missingPart($0) } ?? .noSignature }
        return found
    }

    /// Says which `EncryptedKey` of the header decrypts a part.
    private static func reference(toKey identifier: String) -> String {
        """
        <wsse:SecurityTokenReference xmlns:wsse="\(XMLName.securityNamespace)" \
        xmlns:wsse11="\(XMLName.security11Namespace)" wsse11:TokenType="\(SecurityURI.encryptedKey)">\
        <wsse:Reference URI="#\(identifier)" ValueType="\(SecurityURI.encryptedKey)"/></wsse:SecurityTokenReference>
        """
    }

    private func prepend(_ text: String) throws(WSSecurityError) {
        try inDocument { () throws(XMLDocumentError) in
            let skeleton = try Self.parsed(text)
            defer { withExtendedLifetime(skeleton) {} }
            for element in skeleton.root.children { _ = try security.prepend(element) }
        }
    }
}

/// Throws the error of an encryption as one of a message's security.
func inEncryption<Result>(_ body: () throws(XMLEncryptionError) -> Result) throws(WSSecurityError) -> Result {
    do {
        return try body()
    } catch {
        throw .encryption(error)
    }
}
