// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Carries one exchange at a time: a connection of HTTP/1, or a stream of HTTP/2; used on its event loop.
protocol ExchangeCarrier: AnyObject {
    var isActive: Bool { get }

    /// Writes a request, or its head where the body follows.
    ///
    /// The carrier tells the driver what has left.
    ///
    /// - Parameters:
    ///   - exchange: Holds the request.
    ///   - departure: Completed when the request has left, where it is complete, or its head has.
    /// - Throws: What cannot be written.
    func send(_ exchange: HTTPExchange, departure: EventLoopPromise<Void>?) throws

    /// Writes parts of a body; the promise is completed when they have left.
    func send(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>)

    /// Writes the end of a body.
    func sendEnd(departure: EventLoopPromise<Void>)

    /// The reader of the body has room again.
    func resumeReading()

    /// The exchange is over, and the connection or the stream with it.
    func close()

    /// The exchange has failed or was cancelled; nothing that the peer says is awaited.
    ///
    /// HTTP/1 closes the connection at once. HTTP/2 resets the stream (RST_STREAM, CANCEL), and the connection stays.
    func hangUp()
}

/// A part of a response.
enum ExchangePart {
    case information(HTTPResponse.Status)
    case head(HTTPResponse, keepsAlive: Bool, isWhole: Bool)
    case body(ByteBuffer, isLast: Bool)
    /// Where something follows that no request asked for, the connection cannot be used any more.
    case end(isAlone: Bool)
}
