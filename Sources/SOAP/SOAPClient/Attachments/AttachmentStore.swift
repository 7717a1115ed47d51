// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

/// Gathers the content of one received part: in memory first, in a temporary file where it is large.
struct AttachmentStore {
    private let mostBytesInMemory: Int
    private var pending = ByteBuffer()
    private var file: TransferFile?
    private var written = 0

    init(mostBytesInMemory: Int) { self.mostBytesInMemory = mostBytesInMemory }

    /// In bytes.
    var length: Int { written + pending.readableBytes }

    /// How much is gathered before it is written, in bytes.
    private static let pieceSize = 256 << 10

    mutating func append(_ bytes: ByteBuffer) async throws {
        pending.writeImmutableBuffer(bytes)
        guard pending.readableBytes > (file == nil ? mostBytesInMemory : Self.pieceSize) else { return }
        try await flush()
    }

    /// The content, after its last piece.
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
