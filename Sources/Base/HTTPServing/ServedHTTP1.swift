// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1
package import ServerConnections

/// An HTTP/1 connection of a Hummingbird server, with the rules and timeouts of ``HTTPServerConnection``.
package struct ServedHTTP1: ServerChildChannel, HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: Responder
    private let timeouts: HTTPServerConnection.Timeouts
    private let handlers: @Sendable () -> [any ChannelHandler]

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            // Hummingbird answers pipelined requests in order, and its header field types cannot contain line breaks.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false)
            try pipeline.addHandler(HTTPServerConnection(timeouts))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(handlers())
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    package func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }

    /// Returns a builder for HTTP/1 servers.
    ///
    /// - Parameters:
    ///   - timeouts: The timeouts of a connection.
    ///   - handlers: Makes the handlers between HTTP and the server.
    /// - Returns: The builder, for an application.
    package static func builder(
        _ timeouts: HTTPServerConnection.Timeouts = .init(),
        handlers: @escaping @Sendable () -> [any ChannelHandler] = { [] }
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { ServedHTTP1(responder: $0, timeouts: timeouts, handlers: handlers) }
    }

    /// Limits the number of a server's connections; called when the server runs.
    ///
    /// - Parameters:
    ///   - channel: The listening channel.
    ///   - maximum: The maximum number.
    package static func limitConnections(of channel: any Channel, to maximum: Int) async {
        // This fails if the channel is closed, which then accepts no connections.
        try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(ConnectionAcceptance(maximum: maximum), position: .first)
        }.get()
    }
}
