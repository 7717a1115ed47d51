// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// Is told of every byte that a server receives, so that a test can say what never came.
package struct ByteWitness: Sendable {
    /// Where bytes are seen; without TLS both are the same.
    package enum Layer: Hashable, Sendable {
        /// As they came.
        case wire
        /// After decryption.
        case content
    }

    private let note: @Sendable (_ layer: Layer, _ connection: Int, _ bytes: ByteBuffer) -> Void

    /// Calls the closure from any thread; connections count from 1.
    package init(_ note: @escaping @Sendable (_ layer: Layer, _ connection: Int, _ bytes: ByteBuffer) -> Void) {
        self.note = note
    }

    func handler(at layer: Layer, of connection: Int) -> any ChannelHandler {
        WitnessHandler { [note] in note(layer, connection, $0) }
    }
}

private final class WitnessHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let note: @Sendable (ByteBuffer) -> Void

    init(note: @escaping @Sendable (ByteBuffer) -> Void) {
        self.note = note
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        note(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }
}
