// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

extension Channel {
    /// Begins to read from a channel that has not read yet (`autoRead` is off); what is written to it can be finished before it closes.
    ///
    /// NIO (2.101) ends the process where its wrapper goes without having been served, as it does for one that is accepted while
    /// the listener closes; so an accepted channel is wrapped only by the code that serves it at once.
    func beginReading() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await eventLoop.submit {
            try self.syncOptions?.setOption(.autoRead, value: true)
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: self, configuration: .init(isOutboundHalfClosureEnabled: true))
        }.get()
    }
}
