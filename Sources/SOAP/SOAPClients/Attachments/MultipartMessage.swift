// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

/// A received multipart message: its envelope and its attachments (RFC 2387).
struct MultipartMessage {
    let envelope: [UInt8]
    let envelopeType: MediaType
    /// The attachments, in order.
    let attachments: [XMLAttachment]

    /// Reads a message while it is being received; large parts are stored in temporary files.
    ///
    /// - Parameters:
    ///   - body: The body of the response.
    ///   - type: The media type of the message.
    ///   - limits: The size limits.
    ///   - maximumEnvelopeSize: The maximum size of the envelope in bytes.
    /// - Throws: ``SOAPClientError``, session errors and system errors.
    init(
        reading body: SessionResponseBody, type: MediaType, limits: MultipartLimits, maximumEnvelopeSize: Int
    ) async throws {
        guard let boundary = type["boundary"] else { throw SOAPClientError.multipart(.noBoundary) }
        var assembler = try MultipartAssembler(
            boundary: boundary, start: type["start"], limits: limits, maximumEnvelopeSize: maximumEnvelopeSize)
        for try await bytes in body { try await assembler.append(bytes) }
        let message = try await assembler.finish()
        (envelope, envelopeType, attachments) = (message.envelope, message.type, message.attachments)
    }
}

/// Collects the parts of a message.
private struct MultipartAssembler {
    private let limits: MultipartLimits
    private let maximumEnvelopeSize: Int
    /// The content ID of the part with the envelope; `nil` for the first part.
    private let start: String?
    private var reader: MultipartReader
    private var part: Part?
    private var root: (type: MediaType, bytes: [UInt8])?
    private var attachments: [XMLAttachment] = []
    private var contentIDs: Set<String> = []
    private var total = 0

    private struct Part {
        let head: PartHead
        let isRoot: Bool
        var decoder: TransferDecoder
        var store: AttachmentStore
    }

    init(boundary: String, start: String?, limits: MultipartLimits, maximumEnvelopeSize: Int) throws {
        (self.limits, self.maximumEnvelopeSize) = (limits, maximumEnvelopeSize)
        self.start = start?.withoutBrackets
        reader = try withMultipartErrors { () throws(MultipartError) in
            try MultipartReader(boundary: boundary, limits: limits)
        }
    }

    mutating func append(_ bytes: ByteBuffer) async throws {
        total += bytes.readableBytes
        guard total <= limits.maximumTotalSize else {
            throw SOAPClientError.multipart(.largeTotal(maximumByteCount: limits.maximumTotalSize))
        }
        reader.append(bytes)
        while let event = try withMultipartErrors({ () throws(MultipartError) in try reader.next() }) {
            try await take(event)
        }
    }

    mutating func finish() async throws -> (envelope: [UInt8], type: MediaType, attachments: [XMLAttachment]) {
        try withMultipartErrors { () throws(MultipartError) in try reader.finish() }
        guard let root else { throw SOAPClientError.multipart(.noRootPart) }
        return (root.bytes, root.type, attachments)
    }

    private mutating func take(_ event: MultipartReader.Event) async throws {
        switch event {
        case .head(let head): try begin(head)
        case .content(let bytes): try await append(content: bytes)
        case .partEnd: try await endPart()
        case .end: break
        }
    }

    private mutating func begin(_ head: PartHead) throws {
        let number = reader.part
        let decoder = try withMultipartErrors { () throws(MultipartError) in
            try TransferDecoder(head.transferEncoding, part: number)
        }
        if let identifier = head.contentID, !contentIDs.insert(identifier).inserted {
            throw SOAPClientError.multipart(.duplicateContentID(identifier))
        }
        let isRoot = root == nil && (start.map { $0 == head.contentID } ?? (number == 1))
        // The envelope must be in memory.
        let store = AttachmentStore(maximumBytesInMemory: isRoot ? maximumEnvelopeSize : limits.maximumBytesInMemory)
        part = Part(head: head, isRoot: isRoot, decoder: decoder, store: store)
    }

    private mutating func append(content: ByteBuffer) async throws {
        guard var part else { return }
        // Clearing the property avoids copying the stored content when bytes are appended.
        self.part = nil
        try await append(
            withMultipartErrors { () throws(MultipartError) in try part.decoder.decode(content) }, to: &part)
        self.part = part
    }

    private func append(_ decoded: ByteBuffer, to part: inout Part) async throws {
        let length = part.store.length + decoded.readableBytes
        if part.isRoot {
            guard length <= maximumEnvelopeSize else {
                throw SOAPClientError.responseTooLarge(maximumByteCount: maximumEnvelopeSize)
            }
        } else if length > limits.maximumPartSize {
            throw SOAPClientError.multipart(.largePart(part: reader.part, maximumByteCount: limits.maximumPartSize))
        }
        try await part.store.append(decoded)
    }

    private mutating func endPart() async throws {
        guard var part else { return }
        self.part = nil
        try await append(withMultipartErrors { () throws(MultipartError) in try part.decoder.finish() }, to: &part)
        let content = try await part.store.content()
        if part.isRoot {
            root = (part.head.mediaType, (content as? XMLAttachmentBytes)?.bytes ?? [])
        } else {
            let identifier = part.head.contentID ?? part.head.contentLocation ?? "part\(reader.part)"
            let type = part.head.fields["content-type"] ?? "text/plain"
            attachments.append(XMLAttachment(content, contentType: type, contentID: identifier))
        }
    }
}

/// Converts multipart errors of the closure into a ``SOAPClientError``.
private func withMultipartErrors<Result>(_ body: () throws(MultipartError) -> Result) throws(SOAPClientError) -> Result
{
    do throws(MultipartError) { return try body() } catch { throw .multipart(error) }
}

/// Stores the content of one received part: first in memory, then in a temporary file if it is large.
private struct AttachmentStore {
    private let maximumBytesInMemory: Int
    private var pending = ByteBuffer()
    private var file: TransferFile?
    private var written = 0

    init(maximumBytesInMemory: Int) { self.maximumBytesInMemory = maximumBytesInMemory }

    /// The number of stored bytes.
    var length: Int { written + pending.readableBytes }

    /// The number of bytes to collect before they are written to the file.
    private static let pieceSize = 256 << 10

    mutating func append(_ bytes: ByteBuffer) async throws {
        pending.writeImmutableBuffer(bytes)
        guard pending.readableBytes > (file == nil ? maximumBytesInMemory : Self.pieceSize) else { return }
        try await flush()
    }

    /// Returns the content after its last piece was appended.
    mutating func content() async throws -> any XMLAttachmentContent {
        guard file != nil else { return XMLAttachmentBytes(Array(pending.readableBytesView)) }
        if pending.readableBytes > 0 { try await flush() }
        guard let file else { return XMLAttachmentBytes([]) }
        return FileContent(file, length: written)
    }

    private mutating func flush() async throws {
        let target: TransferFile
        if let file { target = file } else { target = try await TransferFile.temporary() }
        file = target
        try await target.write(pending, at: written)
        written += pending.readableBytes
        pending.clear(minimumCapacity: Self.pieceSize)
    }
}

/// The content of a received attachment in a temporary file, which is deleted with the last reference to it.
private final class FileContent: XMLAttachmentContent {
    private let file: TransferFile
    private let length: Int

    init(_ file: TransferFile, length: Int) { (self.file, self.length) = (file, length) }

    var size: Int? { length }

    func read(_ body: (ArraySlice<UInt8>) async throws -> Void) async throws {
        var offset = 0
        while offset < length {
            let piece = try await file.read(at: offset, count: min(128 << 10, length - offset))
            guard piece.readableBytes > 0 else { throw SOAPClientError.attachmentLost }
            offset += piece.readableBytes
            try await body(Array(piece.readableBytesView)[...])
        }
    }
}
