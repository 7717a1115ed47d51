// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Sends the parts of a request's body, once the server lets it, and no faster than the connection takes them.
struct BodyUpload: Sendable {
    /// The server answered before the body was sent whole, and what is left of it is not wanted.
    struct RespondedEarly: Error {}

    let peer: ConnectionPeer
    let body: OutgoingBody
    /// Succeeds with where the body may be sent, fails when the server has answered without it.
    let permission: EventLoopFuture<ExchangeHandle>

    /// Where the body cannot be sent as announced, the exchange ends with the reason and the connection is closed.
    func run() async {
        guard let handle = try? await permission.get() else { return }
        do {
            try await produce(into: UploadQueue(target: handle))
            try Task.checkCancellation()
            try await handle.end()
        } catch is RespondedEarly {
            // The response is there and says what it is about.
        } catch {
            handle.abort(error)
        }
    }

    private func produce(into queue: UploadQueue) async throws {
        switch body.content {
        case .bytes(let bytes): try await queue.send(ByteBuffer(bytes: bytes))
        case .parts(let produce): try await count(produce, into: queue)
        }
    }

    private func count(
        _ produce: @Sendable (OutgoingBody.Sink) async throws -> Void, into queue: UploadQueue
    ) async throws {
        let sent = NIOLockedValueBox(0)
        try await produce { part in
            let total = sent.withLockedValue { sent in
                sent += part.readableBytes
                return sent
            }
            // A byte too many would be taken for the next request.
            guard total <= body.length ?? .max else { throw wrongLength(total) }
            try await queue.send(part)
        }
        let total = sent.withLockedValue { $0 }
        guard total == body.length ?? total else { throw wrongLength(total) }
    }

    private func wrongLength(_ sent: Int) -> TransportError {
        .wrongBodyLength(peer, announced: body.length ?? 0, produced: sent)
    }
}
