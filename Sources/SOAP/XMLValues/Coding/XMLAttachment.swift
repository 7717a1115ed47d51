// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// The content of an attachment: in memory, in a file, or still being received.
public protocol XMLAttachmentContent: Sendable {
    /// The number of bytes; `nil` if it is unknown.
    var size: Int? { get }
    /// Passes the bytes to the closure in order, piece by piece.
    ///
    /// - Throws: Errors of the source of the bytes and of the closure.
    func read(_ body: (ArraySlice<UInt8>) async throws -> Void) async throws
}

/// Bytes that are sent alongside a message instead of inside it (MTOM, SOAP with Attachments).
public struct XMLAttachment: Sendable {
    /// The media type, such as `image/png`.
    public let contentType: String
    /// The content identifier (RFC 2392), without `cid:` and angle brackets.
    public let contentID: String
    /// The bytes, or the source that they are read from.
    public let content: any XMLAttachmentContent

    /// Creates an attachment from its parts.
    ///
    /// - Parameters:
    ///   - content: The bytes, or the source that they are read from.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - contentID: The content identifier, without `cid:` and angle brackets; a random one by default.
    public init(
        _ content: any XMLAttachmentContent, contentType: String = "application/octet-stream", contentID: String? = nil
    ) {
        (self.content, self.contentType) = (content, contentType)
        self.contentID = contentID ?? Self.randomID()
    }

    /// Creates an attachment in memory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - contentID: The content identifier, without `cid:` and angle brackets; a random one by default.
    public init(_ bytes: [UInt8], contentType: String = "application/octet-stream", contentID: String? = nil) {
        self.init(XMLAttachmentBytes(bytes), contentType: contentType, contentID: contentID)
    }

    /// The number of bytes; `nil` if it is unknown.
    public var size: Int? { content.size }

    /// Returns all bytes.
    ///
    /// - Parameter maximumByteCount: The maximum number of bytes to read; 64 MiB by default. The limit does not apply
    ///   to bytes that are already in memory.
    /// - Returns: All bytes, in order.
    /// - Throws: ``XMLValueError/attachmentTooLarge(maximumByteCount:at:)``, and errors of the content.
    public func bytes(upTo maximumByteCount: Int = 64 << 20) async throws -> [UInt8] {
        if let loaded { return loaded }
        var bytes: [UInt8] = []
        if let size, size <= maximumByteCount { bytes.reserveCapacity(size) }
        try await content.read { piece in
            guard bytes.count + piece.count <= maximumByteCount else {
                throw XMLValueError.attachmentTooLarge(maximumByteCount: maximumByteCount)
            }
            bytes += piece
        }
        return bytes
    }

    /// The bytes if they are in memory; otherwise `nil`.
    package var loaded: [UInt8]? { (content as? XMLAttachmentBytes)?.bytes }

    private static func randomID() -> String {
        let digits = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }
        return digits.joined(separator: ".") + "@countersign"
    }
}

extension XMLAttachment: Equatable {
    /// Compares the media types, and the bytes if both attachments are in memory; otherwise the content identifiers.
    public static func == (one: Self, other: Self) -> Bool {
        guard one.contentType == other.contentType else { return false }
        guard let bytes = one.loaded, let others = other.loaded else { return one.contentID == other.contentID }
        return bytes == others
    }
}

/// The bytes of an attachment in memory.
package struct XMLAttachmentBytes: XMLAttachmentContent {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var size: Int? { bytes.count }

    package func read(_ body: (ArraySlice<UInt8>) async throws -> Void) async throws { try await body(bytes[...]) }
}

/// The attachments that a writer moves out of a message (MTOM).
package struct XMLAttachmentCollector: Sendable {
    /// The size in bytes from which a binary value becomes an attachment.
    package let threshold: Int
    /// The collected attachments, in the order of the message.
    package private(set) var attachments: [XMLAttachment] = []

    package init(threshold: Int) { self.threshold = threshold }

    /// Adds an attachment, unless one with the same content identifier was added before.
    mutating func collect(_ attachment: XMLAttachment) {
        if !attachments.contains(where: { $0.contentID == attachment.contentID }) { attachments.append(attachment) }
    }
}

/// Conversions between content identifiers and `cid:` URLs (RFC 2392).
package enum XMLContentID {
    /// Returns the URL of a content identifier.
    package static func href(_ id: String) -> String {
        "cid:" + PercentEncoding.encode(id.utf8) { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "@") }
    }

    /// Returns the content identifier of a `cid:` URL; `nil` for any other URL, which is never fetched.
    package static func id(_ href: String) -> String? {
        guard href.utf8.count <= 1_000, href.prefix(4).lowercased() == "cid:" else { return nil }
        let bytes = PercentEncoding.decode(href.utf8.dropFirst(4)) ?? []
        guard let id = String(validating: bytes, as: UTF8.self), !id.isEmpty else { return nil }
        return id
    }
}
