// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
package import XMLDocuments

/// The envelope of a response, whose values have not been read yet.
package struct ReceivedEnvelope {
    let tree: XMLTree
    let version: SOAPVersion
    /// The header blocks.
    let headers: [XMLElement]
    let header: XMLElement?
    let body: XMLElement
    /// The child elements of the Body.
    let bodyElements: [XMLElement]

    /// Parses an envelope.
    ///
    /// - Parameters:
    ///   - bytes: The document, in the encoding that it declares.
    ///   - expected: The version of the request. A fault may have the other version (SOAP 1.2 Part 1 appendix A).
    ///   - limits: The document limits.
    /// - Throws: ``SOAPClientError`` if the document is not an envelope of that version.
    package init(_ bytes: [UInt8], expecting expected: SOAPVersion, limits: XMLLimits) throws(SOAPClientError) {
        do throws(XMLDocumentError) { tree = try XMLTree(parsing: bytes, limits: limits) } catch {
            if case .tooLarge(let limit) = error { throw .responseTooLarge(maximumByteCount: limit) }
            throw .document(error)
        }
        let root = tree.root.name
        guard root.local == "Envelope" else { throw .notAnEnvelope(root) }
        guard let version = SOAPVersion.allCases.first(where: { $0.namespace == root.namespace }) else {
            throw .versionMismatch(expected: expected, namespace: root.namespace)
        }
        var parts = tree.root.children[...]
        if parts.first?.name == version.name("Header") {
            header = parts.removeFirst()
        } else {
            header = nil
        }
        headers = header?.children ?? []
        guard let body = parts.popFirst() else { throw .malformedEnvelope(.noBody) }
        guard body.name == version.name("Body") else { throw .malformedEnvelope(.unexpected(body.name)) }
        // SOAP 1.1 allows other elements after the Body. They are refused, because they have no meaning here, and
        // a second Body could be an attack.
        if let next = parts.first { throw .malformedEnvelope(.unexpected(next.name)) }
        (self.version, self.body, bodyElements) = (version, body, body.children)
        guard version == expected || fault != nil else {
            throw .versionMismatch(expected: expected, namespace: version.namespace)
        }
    }

    /// The fault, if the Body contains one.
    package var fault: FaultReader? {
        guard let first = bodyElements.first, first.name == version.name("Fault") else { return nil }
        return FaultReader(element: first, tree: tree, version: version)
    }

    /// Returns the names of the headers for this receiver that must be understood, except the given ones.
    package func headersNotUnderstood(excluding understood: Set<XMLName>) -> [XMLName] {
        let roles = version.receiverRoles
        return headers.filter { header in
            let value = header[version.name("mustUnderstand")]?[...].trimmed
            guard value == "1" || value == "true", !understood.contains(header.name) else { return false }
            return roles.contains(String(header[version.roleAttribute]?[...].trimmed ?? ""))
        }.map(\.name)
    }

    /// The header blocks as values.
    package func headerValues() throws(XMLValueError) -> [XMLElementValue] {
        guard let header else { return [] }
        var reader = try XMLReader(header, of: tree, options: .lenient)
        return try reader.anys(.any)
    }
}

/// Converts a document to an encoding that the parser detects, if HTTP specifies a charset (RFC 7303 section 3).
///
/// A byte order mark takes precedence, then the charset of HTTP, then the document's declaration.
package enum EnvelopeText {
    /// Returns the bytes for the parser.
    package static func bytes(_ bytes: [UInt8], charset: String?) throws(SOAPClientError) -> [UInt8] {
        guard let charset = charset?.lowercased(), !charset.isEmpty, !hasByteOrderMark(bytes) else { return bytes }
        switch charset {
        case "utf-8", "utf8", "us-ascii":
            // A different encoding in the XML declaration must not take effect.
            return withoutDeclaration(bytes)
        case "utf-16", "utf-16be":
            // Without a byte order mark, UTF-16 is big-endian (RFC 2781 section 4.3), unless the first byte is "<".
            let isLittleEndian = charset == "utf-16" && bytes.first == UInt8(ascii: "<")
            return withoutDeclaration(try fromUTF16(bytes, isLittleEndian: isLittleEndian))
        case "utf-16le":
            return withoutDeclaration(try fromUTF16(bytes, isLittleEndian: true))
        case "iso-8859-1", "latin1", "iso_8859-1":
            var scalars = String.UnicodeScalarView()
            for byte in withoutDeclaration(bytes) { scalars.append(Unicode.Scalar(byte)) }
            return Array(String(scalars).utf8)
        default:
            // The parser supports more charsets. If a charset extends ASCII, a new XML declaration can specify it.
            let isName = charset.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
            guard isName, charset.first?.isLetter == true, charset.utf8.count <= 40 else {
                throw .unknownCharset(charset)
            }
            return Array("<?xml version=\"1.0\" encoding=\"\(charset)\"?>".utf8) + withoutDeclaration(bytes)
        }
    }

    private static func hasByteOrderMark(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
    }

    private static func withoutDeclaration(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.starts(with: "<?xml ".utf8), let end = bytes.prefix(200).firstIndex(of: UInt8(ascii: ">")) else {
            return bytes
        }
        return Array(bytes[(end + 1)...].drop { $0.isXMLSpace })
    }

    private static func fromUTF16(_ bytes: [UInt8], isLittleEndian: Bool) throws(SOAPClientError) -> [UInt8] {
        guard bytes.count.isMultiple(of: 2) else { throw .document(.malformed(line: 1, problem: "half a character")) }
        let units = stride(from: 0, to: bytes.count, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw .document(.malformed(line: 1, problem: "half a character"))
        }
        return Array(text.utf8)
    }
}
