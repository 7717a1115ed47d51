// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

/// The content of a received attachment in a temporary file, which is removed with the last reference to it.
final class FileContent: XMLAttachmentContent {
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
