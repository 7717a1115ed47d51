// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Sends a connection's bytes in the form that its behaviors request.
struct Sender: Sendable {
    let channel: any Channel
    let recorder: TestServer.Recorder
    /// The maximum number of bytes that are sent at once.
    var pieceSize = Int.max
    /// The pause after each piece.
    var interval = Duration.zero
    /// The number of bytes that may be sent before the connection is closed.
    var allowance = Int.max

    mutating func send(_ bytes: ByteBuffer) async throws {
        var rest = bytes.readableBytesView.prefix(allowance)
        allowance -= rest.count
        while !rest.isEmpty {
            let piece = ByteBuffer(rest.prefix(pieceSize))
            rest = rest.dropFirst(pieceSize)
            // The piece is recorded first, so that the record contains it when the client has received it.
            recorder.sent(piece)
            try await channel.writeAndFlush(piece)
            if interval > .zero { try await Task.sleep(for: interval) }
        }
        if allowance == 0 { throw TestConnection.Ended() }
    }

    /// Sends parts as they arrive, and closes the connection after the last one.
    func send(_ parts: AsyncStream<ByteBuffer>) async throws {
        var sender = self
        defer { channel.close(promise: nil) }
        for await part in parts { try await sender.send(part) }
    }
}
