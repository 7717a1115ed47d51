// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@_exported public import XMLDocuments  // Paths and limits of documents are part of every call.
internal import XMLSignature

/// Decrypts the encrypted parts of a document (XML Encryption 1.1 section 4.4).
///
/// Nothing outside of the document is ever read. Every failure that depends on a key or on the content is the same
/// error, ``XMLEncryptionError/cannotDecrypt``, so that a sender who tries learns nothing from it.
public struct XMLDecryptor: Sendable {
    /// The keys; each that may fit is tried, up to 10 for a part.
    public var keys: [DecryptionKey]
    /// The algorithms and sizes that a message may have.
    public var policy: EncryptionPolicy

    /// Creates a decryptor from its keys and the limits of messages.
    public init(keys: [DecryptionKey], policy: EncryptionPolicy = EncryptionPolicy()) {
        (self.keys, self.policy) = (keys, policy)
    }

    /// Decrypts every encrypted part of a document, but not those within decrypted content.
    ///
    /// Decryption does not tell who sent the message: only a signature does.
    ///
    /// - Parameter document: The document.
    /// - Returns: The document with the decrypted parts in their places, in UTF-8.
    /// - Throws: ``XMLEncryptionError``.
    public func decrypt(_ document: [UInt8]) throws(XMLEncryptionError) -> [UInt8] {
        let tree = try inDocument { () throws(XMLDocumentError) in
            try XMLTree(parsing: document, limits: policy.limits)
        }
        guard try decrypt(tree, keysIn: tree) > 0 else { throw .noEncryptedData }
        return try inDocument { () throws(XMLDocumentError) in try tree.bytes }
    }

    /// Decrypts every encrypted part of a tree.
    ///
    /// - Parameters:
    ///   - tree: What holds the parts.
    ///   - message: Where the parts' keys stand.
    /// - Returns: How many parts there were.
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
        guard parts.count <= policy.mostParts else { throw .tooManyParts(most: policy.mostParts) }
        let finder = try KeyFinder(keys, in: message)
        // All is read before anything is replaced, so that no part can change how another one is decrypted.
        var contents: [(XMLElement, PlainTree)] = []
        for part in parts { contents.append((part, try content(of: part, finder))) }
        for (part, content) in contents {
            try inDocument { () throws(XMLDocumentError) in
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

/// What was decrypted, below an element that has the declarations of its place.
private struct PlainTree {
    let tree: XMLTree

    /// `nil` where it is not what may stand in the place.
    init?(_ bytes: [UInt8], in place: XMLElement, _ form: EncryptedForm, limits: XMLLimits) {
        var limits = limits
        let depth = sequence(first: place, next: \.parent).reduce(0) { count, _ in count + 1 }
        guard depth < limits.depth else { return nil }
        // The element around it stands for all that are around the place.
        limits.depth -= depth - 2
        // Those that the encrypted element itself has mean nothing where it was.
        let declarations = (place.parent?.namespaces ?? [:]).sorted { $0.key < $1.key }.map { prefix, uri in
            " xmlns\(prefix.isEmpty ? "" : ":")\(prefix)=\"\(uri.xmlEscaped)\""
        }
        let text = Array("<content\(declarations.joined())>".utf8) + bytes + Array("</content>".utf8)
        guard let tree = try? XMLTree(parsing: text, limits: limits) else { return nil }
        guard form == .content || tree.root.children.count == 1 else { return nil }
        self.tree = tree
    }
}

/// The algorithms and sizes that an encrypted message may have.
public struct EncryptionPolicy: Hashable, Sendable {
    /// The accepted algorithms of content; AES-GCM, which detects changes, by default.
    public var algorithms: Set<ContentAlgorithm>
    /// The most parts of a document that are decrypted; 30 by default.
    public var mostParts = 30
    /// The limits of the size, depth and features of documents, and of decrypted content.
    public var limits = XMLLimits()

    /// Creates a policy; without arguments, one that refuses AES-CBC.
    public init(algorithms: Set<ContentAlgorithm> = Set(ContentAlgorithm.allCases.filter { !$0.isLegacy })) {
        self.algorithms = algorithms
    }
}
