// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@_exported public import XMLDocuments  // Every call uses paths and document limits.
internal import XMLSignature

/// Decrypts the encrypted parts of a document (XML Encryption 1.1 section 4.4).
///
/// The decryptor reads nothing outside the document. Every failure that depends on a key or on the content is the same
/// error, ``XMLEncryptionError/cannotDecrypt``, so that an attacker learns nothing from repeated attempts.
public struct XMLDecryptor: Sendable {
    /// The keys; every key that may fit is tried, up to 10 for each part.
    public var keys: [DecryptionKey]
    /// The accepted algorithms and limits of messages.
    public var policy: EncryptionPolicy

    /// Creates a decryptor with keys and a policy for messages.
    public init(keys: [DecryptionKey], policy: EncryptionPolicy = EncryptionPolicy()) {
        (self.keys, self.policy) = (keys, policy)
    }

    /// Decrypts every encrypted part of a document, except parts nested in decrypted content.
    ///
    /// Decryption does not authenticate the sender of the message: only a signature does.
    ///
    /// - Parameter document: The document.
    /// - Returns: The document with the decrypted parts in place of the encrypted ones, in UTF-8.
    /// - Throws: ``XMLEncryptionError``.
    public func decrypt(_ document: [UInt8]) throws(XMLEncryptionError) -> [UInt8] {
        let tree = try withDocumentErrors { () throws(XMLDocumentError) in
            try XMLTree(parsing: document, limits: policy.limits)
        }
        guard try decrypt(tree, keysIn: tree) > 0 else { throw .noEncryptedData }
        return try withDocumentErrors { () throws(XMLDocumentError) in try tree.bytes }
    }

    /// Decrypts every encrypted part of a tree.
    ///
    /// - Parameters:
    ///   - tree: The tree with the encrypted parts.
    ///   - message: The tree with the encrypted keys.
    /// - Returns: The number of decrypted parts.
    /// - Throws: ``XMLEncryptionError``.
    package func decrypt(_ tree: XMLTree, keysIn message: XMLTree) throws(XMLEncryptionError) -> Int {
        var parts: [XMLElement] = []
        tree.root.forEach { element in
            guard element.name == .xenc("EncryptedData") else { return }
            let isNested = sequence(first: element, next: \.parent).dropFirst().contains {
                $0.name == .xenc("EncryptedData")
            }
            if !isNested { parts.append(element) }
        }
        guard !parts.isEmpty else { return 0 }
        guard parts.count <= policy.maximumPartCount else { throw .tooManyParts(limit: policy.maximumPartCount) }
        let finder = try KeyFinder(keys, in: message)
        // All parts are decrypted before any is replaced, so that no part can influence the decryption of another one.
        var contents: [(XMLElement, PlainTree)] = []
        for part in parts { contents.append((part, try content(of: part, finder))) }
        for (part, content) in contents {
            try withDocumentErrors { () throws(XMLDocumentError) in
                _ = try part.replace(byChildrenOf: content.tree.root)
            }
        }
        return contents.count
    }

    private func content(of part: XMLElement, _ finder: KeyFinder) throws(XMLEncryptionError) -> PlainTree {
        let data = try EncryptedMessage(part)
        guard let form = part[XMLName("Type")].flatMap(EncryptedForm.init) else {
            throw .malformed(element: "EncryptedData", line: part.line)
        }
        guard let algorithm = ContentAlgorithm(rawValue: data.algorithm) else {
            throw .unsupportedAlgorithm(data.algorithm)
        }
        guard policy.algorithms.contains(algorithm) else { throw .algorithmNotAllowed(data.algorithm) }
        for key in try finder.keys(for: data, algorithm) {
            guard let bytes = algorithm.decrypt(data.cipher, with: key),
                let content = PlainTree(bytes, in: part, form, limits: policy.limits)
            else { continue }
            return content
        }
        throw .cannotDecrypt
    }
}

/// The decrypted content, in an element with the namespace declarations in scope at its position.
private struct PlainTree {
    let tree: XMLTree

    /// Parses decrypted bytes; returns `nil` if they are not valid content at this position.
    init?(_ bytes: [UInt8], in place: XMLElement, _ form: EncryptedForm, limits: XMLLimits) {
        var limits = limits
        let depth = sequence(first: place, next: \.parent).reduce(0) { count, _ in count + 1 }
        guard depth < limits.depth else { return nil }
        // The enclosing element replaces all ancestors of the position.
        limits.depth -= depth - 2
        // The declarations of EncryptedData itself were not in scope when the content was encrypted.
        let declarations = (place.parent?.namespaces ?? [:]).sorted { $0.key < $1.key }.map { prefix, uri in
            " xmlns\(prefix.isEmpty ? "" : ":")\(prefix)=\"\(uri.xmlEscaped)\""
        }
        let text = Array("<content\(declarations.joined())>".utf8) + bytes + Array("</content>".utf8)
        guard let tree = try? XMLTree(parsing: text, limits: limits) else { return nil }
        guard form == .content || tree.root.children.count == 1 else { return nil }
        self.tree = tree
    }
}

/// The accepted algorithms and limits of encrypted messages.
public struct EncryptionPolicy: Hashable, Sendable {
    /// The accepted content algorithms; by default AES-GCM, which detects changes.
    public var algorithms: Set<ContentAlgorithm>
    /// The maximum number of encrypted parts in a document; 30 by default.
    public var maximumPartCount = 30
    /// The limits of the size, depth and features of documents, and of decrypted content.
    public var limits = XMLLimits()

    /// Creates a policy; without arguments, one that refuses AES-CBC.
    public init(algorithms: Set<ContentAlgorithm> = Set(ContentAlgorithm.allCases.filter { !$0.isLegacy })) {
        self.algorithms = algorithms
    }
}
