// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The content of an attachment: in memory, in a file, or still on its way.
public protocol XMLAttachmentContent: Sendable {
    /// The number of bytes, if it is known.
    var size: Int? { get }
    /// Passes the bytes on in their order, piece by piece.
    func read(_ body: (ArraySlice<UInt8>) async throws -> Void) async throws
}

/// Bytes that travel beside a message, not in it (MTOM, SOAP with Attachments).
public struct XMLAttachment: Sendable {
    /// The media type, such as `image/png`.
    public let contentType: String
    /// The name within the message, without `cid:` and angle brackets.
    public let contentID: String
    /// The bytes, or where they are.
    public let content: any XMLAttachmentContent

    /// An attachment by its parts.
    ///
    /// - Parameters:
    ///   - content: The bytes, or where they are.
    ///   - contentType: The media type.
    ///   - contentID: The name within the message; a random one by default.
    public init(
        _ content: any XMLAttachmentContent, contentType: String = "application/octet-stream", contentID: String? = nil
    ) {
        (self.content, self.contentType) = (content, contentType)
        self.contentID = contentID ?? Self.randomID()
    }

    /// An attachment in memory.
    public init(_ bytes: [UInt8], contentType: String = "application/octet-stream", contentID: String? = nil) {
        self.init(XMLAttachmentBytes(bytes), contentType: contentType, contentID: contentID)
    }

    /// The number of bytes, if it is known.
    public var size: Int? { content.size }

    /// Returns all bytes.
    ///
    /// - Parameter mostBytes: How many are read at most; 64 MiB by default.
    /// - Returns: All bytes, in their order.
    /// - Throws: ``XMLValueError/attachmentTooLarge(mostBytes:at:)``, and what the content throws.
    public func bytes(upTo mostBytes: Int = 64 << 20) async throws -> [UInt8] {
        if let loaded { return loaded }
        var bytes: [UInt8] = []
        if let size, size <= mostBytes { bytes.reserveCapacity(size) }
        try await content.read { piece in
            guard bytes.count + piece.count <= mostBytes else {
                throw XMLValueError.attachmentTooLarge(mostBytes: mostBytes)
            }
            bytes += piece
        }
        return bytes
    }

    /// The bytes where they are in memory.
    package var loaded: [UInt8]? { (content as? XMLAttachmentBytes)?.bytes }

    private static func randomID() -> String {
        let digits = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }
        return digits.joined(separator: ".") + "@countersign"
    }
}

extension XMLAttachment: Equatable {
    /// Compares the bytes where both are in memory, else the names.
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
