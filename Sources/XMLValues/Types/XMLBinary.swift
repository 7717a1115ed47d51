// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `base64Binary`: bytes in the message, or an attachment beside it.
public struct XMLBinary: Sendable, ExpressibleByArrayLiteral {
    private enum Storage: Sendable {
        case bytes([UInt8])
        case attachment(XMLAttachment)
    }

    private let storage: Storage

    /// Bytes.
    public init(_ bytes: some Sequence<UInt8>) { storage = .bytes(Array(bytes)) }

    /// Bytes.
    public init(arrayLiteral elements: UInt8...) { storage = .bytes(elements) }

    /// An attachment, which leaves the message where the client sends attachments.
    public init(attachment: XMLAttachment) { storage = .attachment(attachment) }

    /// The attachment, if it is one.
    public var attachment: XMLAttachment? {
        guard case .attachment(let attachment) = storage else { return nil }
        return attachment
    }

    /// The number of bytes, if it is known.
    public var size: Int? {
        switch storage {
        case .bytes(let bytes): bytes.count
        case .attachment(let attachment): attachment.size
        }
    }

    /// The bytes.
    ///
    /// - Throws: ``XMLValueError/attachmentNotLoaded(_:at:)`` for an attachment that is not in memory; `load(upTo:)` reads it.
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

    /// The bytes, which are read first where they are an attachment's.
    ///
    /// - Parameter mostBytes: How many are read at most; 64 MiB by default.
    /// - Returns: All bytes.
    /// - Throws: ``XMLValueError/attachmentTooLarge(mostBytes:at:)``, and what the attachment's content throws.
    public func load(upTo mostBytes: Int = 64 << 20) async throws -> [UInt8] {
        switch storage {
        case .bytes(let bytes): bytes
        case .attachment(let attachment): try await attachment.bytes(upTo: mostBytes)
        }
    }
}

extension XMLBinary: Equatable {
    /// Compares the bytes where both are in memory, else the attachments' names.
    public static func == (one: Self, other: Self) -> Bool {
        if let one = one.attachment, let other = other.attachment { return one == other }
        guard let bytes = try? one.bytes, let others = try? other.bytes else { return false }
        return bytes == others
    }
}

extension XMLBinary: XMLSimpleType {
    /// `xsd:base64Binary`.
    public static var xmlType: XMLName? { .schema("base64Binary") }

    /// White space is skipped while the digits are read.
    public static var whiteSpace: XMLWhiteSpace { .preserve }

    /// Reads Base64 (RFC 4648), with white space between the digits.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let bytes = XMLBase64.decode(text) else { throw .invalid(text: text, type: "base64Binary") }
        self.init(bytes)
    }

    /// Base64 without white space.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        String(decoding: XMLBase64.encode(try bytes), as: UTF8.self)
    }

    /// Writes Base64, or a reference to an attachment (XOP 1.0 section 3).
    public func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        guard let threshold = xml.attachments?.threshold else {
            return try xml.write(plain: XMLBase64.encode(bytes))
        }
        switch storage {
        case .bytes(let bytes) where bytes.count < threshold: try xml.write(plain: XMLBase64.encode(bytes))
        case .bytes(let bytes): try xml.include(XMLAttachment(bytes))
        case .attachment(let attachment): try xml.include(attachment)
        }
    }

    /// Reads Base64, or a reference to an attachment.
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
    /// Reads a reference to an attachment; `nil` where there is none.
    fileprivate mutating func include() throws(XMLValueError) -> XMLAttachment? {
        let href: String
        if let next = cursor.next, next.hasName("Include", in: XMLNamespace.include) {
            try take(next)
            guard let text = next.attribute("href", in: "") else {
                throw .missingAttribute(XMLName("href"), at: next.place)
            }
            href = text
        } else if let text = element.attribute("href", in: "") {
            // SOAP with Attachments has the reference on the element itself.
            href = text
        } else {
            return nil
        }
        guard let id = XMLContentID.id(href) else { throw .attachmentReference(href, at: place) }
        guard let attachment = context.attachments(id) else { throw .missingAttachment(id, at: place) }
        return attachment
    }
}
