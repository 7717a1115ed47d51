// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
public import XMLDocuments

/// `base64Binary`: bytes in the message, or in an attachment.
public struct XMLBinary: Sendable, ExpressibleByArrayLiteral {
    private enum Storage: Sendable {
        case bytes([UInt8])
        case attachment(XMLAttachment)
    }

    private let storage: Storage

    /// Creates a value with bytes.
    public init(_ bytes: some Sequence<UInt8>) { storage = .bytes(Array(bytes)) }

    /// Creates a value with the bytes of a literal.
    public init(arrayLiteral elements: UInt8...) { storage = .bytes(elements) }

    /// Creates a value with the bytes of an attachment.
    ///
    /// Clients that support attachments send them separately; other clients send the bytes in the message.
    public init(attachment: XMLAttachment) { storage = .attachment(attachment) }

    /// The attachment; `nil` if the bytes are in the message.
    public var attachment: XMLAttachment? {
        guard case .attachment(let attachment) = storage else { return nil }
        return attachment
    }

    /// The number of bytes; `nil` for an attachment of unknown size.
    public var size: Int? {
        switch storage {
        case .bytes(let bytes): bytes.count
        case .attachment(let attachment): attachment.size
        }
    }

    /// The bytes.
    ///
    /// - Throws: ``XMLValueError/attachmentNotLoaded(_:at:)`` for an attachment that is not in memory; `load(upTo:)`
    ///   reads it.
    public var bytes: [UInt8] {
        get throws(XMLValueError) {
            switch storage {
            case .bytes(let bytes): return bytes
            case .attachment(let attachment):
                guard let bytes = attachment.loaded else { throw .attachmentNotLoaded(attachment.contentID) }
                return bytes
            }
        }
    }

    /// Returns the bytes.
    ///
    /// The bytes of an attachment are read first.
    ///
    /// - Parameter maximumByteCount: The maximum number of bytes to read; 64 MiB by default. The limit does not apply
    ///   to bytes that are already in memory.
    /// - Returns: All bytes.
    /// - Throws: ``XMLValueError/attachmentTooLarge(maximumByteCount:at:)``, and errors of the attachment's content.
    public func load(upTo maximumByteCount: Int = 64 << 20) async throws -> [UInt8] {
        switch storage {
        case .bytes(let bytes): bytes
        case .attachment(let attachment): try await attachment.bytes(upTo: maximumByteCount)
        }
    }
}

extension XMLBinary: Equatable {
    /// Compares two attachments as ``XMLAttachment`` does, and other values by their bytes; bytes that are not in
    /// memory are equal to no other bytes.
    public static func == (one: Self, other: Self) -> Bool {
        if let one = one.attachment, let other = other.attachment { return one == other }
        guard let bytes = try? one.bytes, let others = try? other.bytes else { return false }
        return bytes == others
    }
}

extension XMLBinary: XMLSimpleType {
    /// `xsd:base64Binary`.
    public static var xmlType: XMLName? { .schema("base64Binary") }

    /// ``XMLWhiteSpace/preserve``: the decoder skips white space.
    public static var whiteSpace: XMLWhiteSpace { .preserve }

    /// Reads Base64 (RFC 4648 section 4), with white space between the digits.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let bytes = Base64.decode(text, as: .xml) else { throw .invalid(text: text, type: "base64Binary") }
        self.init(bytes)
    }

    /// Returns the bytes in Base64 (RFC 4648 section 4), without white space.
    ///
    /// - Throws: ``XMLValueError/attachmentNotLoaded(_:at:)``.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        Base64.encode(try bytes)
    }

    /// Writes Base64, or a reference to an attachment (XOP 1.0 section 3).
    ///
    /// - Throws: ``XMLValueError/attachmentNotLoaded(_:at:)`` if the writer keeps attachments in the document and the
    ///   bytes are not in memory, and errors of ``XMLWriter``.
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        guard let threshold = xml.attachments?.threshold else {
            return try xml.write(plain: Base64.characters(of: bytes))
        }
        switch storage {
        case .bytes(let bytes) where bytes.count < threshold: try xml.write(plain: Base64.characters(of: bytes))
        case .bytes(let bytes): try xml.include(XMLAttachment(bytes))
        case .attachment(let attachment): try xml.include(attachment)
        }
    }

    /// Reads Base64, or a reference to an attachment (XOP 1.0 section 3; SOAP with Attachments).
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``, ``XMLValueError/attachmentReference(_:at:)``,
    ///   ``XMLValueError/missingAttachment(_:at:)``, ``XMLValueError/missingAttribute(_:at:)`` for a reference without
    ///   `href`, ``XMLValueError/unexpectedElement(_:at:)`` and ``XMLValueError/unexpectedText(_:at:)``.
    public init(from xml: inout XMLReader) throws(XMLValueError) {
        if let attachment = try xml.include() { self.init(attachment: attachment) } else { self = try xml.text() }
    }
}

extension XMLWriter {
    /// Writes a reference to an attachment, and collects it.
    fileprivate mutating func include(_ attachment: XMLAttachment) throws(XMLValueError) {
        attachments?.collect(attachment)
        try startElement("Include", in: XMLNamespace.include)
        try attribute("href", XMLContentID.href(attachment.contentID))
        try endElement()
    }
}

extension XMLReader {
    /// Reads a reference to an attachment; returns `nil` if there is none.
    fileprivate mutating func include() throws(XMLValueError) -> XMLAttachment? {
        let href: String
        if let next = cursor.next, next.hasName("Include", in: XMLNamespace.include) {
            try take(next)
            guard let text = next.attribute("href", in: "") else {
                throw .missingAttribute(XMLName("href"), at: next.place)
            }
            href = text
        } else if let text = element.attribute("href", in: "") {
            // In SOAP with Attachments, the element itself has the reference.
            href = text
        } else {
            return nil
        }
        guard let id = XMLContentID.id(href) else { throw .attachmentReference(href, at: place) }
        guard let attachment = context.attachments(id) else { throw .missingAttachment(id, at: place) }
        return attachment
    }
}

/// `hexBinary`: bytes that are written in hexadecimal digits.
public struct XMLHexBinary: XMLSimpleType, Hashable, ExpressibleByArrayLiteral {
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates a value with bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Creates a value with the bytes of a literal.
    public init(arrayLiteral elements: UInt8...) { bytes = elements }

    /// `xsd:hexBinary`.
    public static var xmlType: XMLName? { .schema("hexBinary") }

    /// Reads two digits of either case for each byte.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let bytes = Hexadecimal.decode(text) else { throw .invalid(text: text, type: "hexBinary") }
        self.bytes = bytes
    }

    /// Returns two upper-case digits for each byte.
    public func xmlText(in scope: inout XMLScope) -> String { Hexadecimal.encode(bytes, uppercase: true) }
}
