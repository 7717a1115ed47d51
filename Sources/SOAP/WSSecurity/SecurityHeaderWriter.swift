// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import EssentialFoundation
internal import XMLDocuments
internal import XMLEncryption
internal import XMLSignature

/// Writes the security header of a message, part by part.
struct SecurityHeaderWriter {
    let envelope: Envelope
    let security: XMLElement
    let randomBytes: @Sendable (Int) -> [UInt8]
    private var timestamp: XMLElement?
    private var usernameToken: XMLElement?

    /// Finds the security header for an actor, or adds one.
    init(
        _ envelope: Envelope, mustUnderstand: Bool, actor: String?, randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) throws(WSSecurityError) {
        (self.envelope, self.randomBytes) = (envelope, randomBytes)
        if let security = try envelope.security(for: actor) {
            self.security = security
            return
        }
        let namespace = envelope.namespace
        security = try withDocumentErrors { () throws(XMLDocumentError) in
            let skeleton = try Self.parsed("")
            defer { withExtendedLifetime(skeleton) {} }
            let header = if let header = envelope.header { header } else { try Self.addHeader(to: envelope) }
            let security = try header.append(skeleton.root)
            if mustUnderstand {
                try security.set(namespace.name("mustUnderstand"), to: namespace.trueValue, preferring: "soap")
            }
            if let actor { try security.set(namespace.actor, to: actor, preferring: "soap") }
            return security
        }
    }

    /// Adds a timestamp.
    mutating func add(_ timestamp: MessageTimestamp, at time: Date) throws(WSSecurityError) {
        guard security.child(.wsu("Timestamp")) == nil else { throw .alreadyPresent(.timestamp) }
        self.timestamp = try add(timestamp.element(identifier: identifier("TS"), at: time))
    }

    /// Adds a username token.
    mutating func add(_ token: UsernameToken, at time: Date) throws(WSSecurityError) {
        usernameToken = try add(token.element(identifier: identifier("UT"), at: time, nonce: randomBytes(16)))
    }

    /// Signs parts of the message, and adds the signature.
    mutating func add(_ signature: MessageSignature) async throws {
        var signer = SignatureSigner(key: signature.key)
        signer.canonicalization = signature.canonicalization
        signer.digest = signature.digest
        var token: XMLElement?
        if let certificate = signature.certificates.first {
            let name = identifier("X509")
            token = try signature.reference.token(of: signature.certificates, identifier: name).map(add)
            signer.keyInfo = try signature.reference.element(to: certificate, token: name)
        }
        var parts: [SignatureSigner.Part] = []
        for part in signature.parts {
            for element in try elements(of: part, token: token) {
                let prefixes = signature.canonicalization.method.isExclusive ? ContentPrefixes.used(in: element) : []
                parts.append(.element(identifier: try identifier(of: element), inclusivePrefixes: prefixes))
            }
        }
        _ = try await signer.sign(envelope.tree, parts: parts, into: security)
    }

    private func elements(of part: MessagePart, token: XMLElement?) throws(WSSecurityError) -> [XMLElement] {
        let found = part == .certificate ? token.map { [$0] } ?? [] : envelope.elements(of: part, security)
        guard !found.isEmpty else { throw .missingPart(part) }
        return found
    }

    /// Returns the identifier of an element, and adds one if there is none.
    func identifier(of element: XMLElement) throws(WSSecurityError) -> String {
        if let identifier = element[.wsu("Id")] { return identifier }
        let identifier = identifier("id")
        try withDocumentErrors { () throws(XMLDocumentError) in
            try element.set(.wsu("Id"), to: identifier, preferring: "wsu")
        }
        return identifier
    }

    /// Returns a new identifier; it begins with a letter, as XML requires.
    func identifier(_ kind: String) -> String { "\(kind)-" + Hexadecimal.encode(randomBytes(16)) }

    /// Appends an element to the content of the security header.
    private func add(_ text: String) throws(WSSecurityError) -> XMLElement {
        let tree: XMLTree
        do {
            tree = try Self.parsed(text)
        } catch { throw .unwritableText }
        defer { withExtendedLifetime(tree) {} }
        guard let element = tree.root.children.first else { throw .unwritableText }
        return try withDocumentErrors { () throws(XMLDocumentError) in try security.append(element) }
    }

    /// Adds an empty header with the envelope's prefix before the body.
    private static func addHeader(to envelope: Envelope) throws(XMLDocumentError) -> XMLElement {
        let prefix = envelope.tree.root.prefix
        let name = prefix.isEmpty ? "Header" : "\(prefix):Header"
        let declaration = prefix.isEmpty ? "xmlns" : "xmlns:\(prefix)"
        let text = "<\(name) \(declaration)=\"\(envelope.namespace.rawValue)\"/>"
        let skeleton = try XMLTree(parsing: Array(text.utf8), limits: XMLLimits())
        defer { withExtendedLifetime(skeleton) {} }
        return try envelope.body.insertBefore(skeleton.root)
    }

    /// Parses a security header with the given content.
    static func parsed(_ content: String) throws(XMLDocumentError) -> XMLTree {
        let text = """
            <wsse:Security xmlns:wsse="\(XMLName.securityNamespace)" xmlns:wsu="\(XMLName.utilityNamespace)">\
            \(content)</wsse:Security>
            """
        return try XMLTree(parsing: Array(text.utf8), limits: XMLLimits())
    }
}

extension SecurityHeaderWriter {
    /// Encrypts parts of the message, and inserts the encrypted key at the start of the header, because receivers read
    /// it first.
    func add(_ encryption: MessageEncryption) throws(WSSecurityError) {
        var encryptor = XMLEncryptor(for: .certificate(encryption.recipient, encryption.transport))
        encryptor.algorithm = encryption.algorithm
        let (keyName, tokenName) = (identifier("EK"), identifier("X509"))
        let parts = try encryption.parts.map { part throws(WSSecurityError) in try elements(of: part) }
        let keyInfo = try encryption.reference.element(to: encryption.recipient, token: tokenName)
        let encryptedKey = try withEncryptionErrors { () throws(XMLEncryptionError) in
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
            part.messagePart.map { envelope.elements(of: $0, security).filter { $0 != security } }
            ?? security.children.filter { $0.name == .signature }
        guard !found.isEmpty else { throw part.messagePart.map { .missingPart($0) } ?? .noSignature }
        return found
    }

    /// Returns the reference from an encrypted part to its `EncryptedKey` in the header.
    private static func reference(toKey identifier: String) -> String {
        """
        <wsse:SecurityTokenReference xmlns:wsse="\(XMLName.securityNamespace)" \
        xmlns:wsse11="\(XMLName.security11Namespace)" wsse11:TokenType="\(SecurityURI.encryptedKey)">\
        <wsse:Reference URI="#\(identifier)" ValueType="\(SecurityURI.encryptedKey)"/></wsse:SecurityTokenReference>
        """
    }

    private func prepend(_ text: String) throws(WSSecurityError) {
        try withDocumentErrors { () throws(XMLDocumentError) in
            let skeleton = try Self.parsed(text)
            defer { withExtendedLifetime(skeleton) {} }
            for element in skeleton.root.children { _ = try security.prepend(element) }
        }
    }
}

/// Converts encryption errors of the closure into a ``WSSecurityError``.
func withEncryptionErrors<Result>(_ body: () throws(XMLEncryptionError) -> Result) throws(WSSecurityError) -> Result {
    do {
        return try body()
    } catch {
        throw .encryption(error)
    }
}
