// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Writes a request as the handlers below understand it, and reads what they make of its response.
protocol ExchangeWire {
    associatedtype Inbound
    associatedtype Outbound

    /// Whether a connection is left over when an exchange has ended.
    static var servesSeveral: Bool { get }

    /// A request without a body, or with one that is there whole; the last part is said to be the last.
    ///
    /// - Throws: What cannot be written.
    mutating func write(_ exchange: HTTPExchange, whole: ByteBuffer?, to emit: (Outbound, _ isLast: Bool) -> Void)
        throws

    /// A request whose body follows.
    ///
    /// - Throws: What cannot be written.
    mutating func head(_ exchange: HTTPExchange) throws -> Outbound

    func part(_ buffer: ByteBuffer) -> Outbound

    func end() -> Outbound

    /// A part of a body has left for the peer.
    func noteDeparture()

    /// Takes what arrived.
    mutating func append(_ inbound: Inbound)

    /// The next part of what arrived; `nil` where more has to arrive.
    ///
    /// - Throws: What makes no sense as a response.
    mutating func next() throws -> ExchangePart?

    /// The connection has ended.
    ///
    /// - Returns: The end of a response, where that is what ends it.
    mutating func close() -> ExchangePart?

    /// What arrived behind the answer that opened a tunnel.
    mutating func takeRest() -> ByteBuffer?
}

/// A part of a response.
enum ExchangePart {
    case information(HTTPResponse.Status)
    case head(HTTPResponse, keepsAlive: Bool, isWhole: Bool)
    case body(ByteBuffer, isLast: Bool)
    /// Where something follows that nobody asked for, the connection is no good any more.
    case end(isAlone: Bool)
    /// Says nothing of the response.
    case other
}

/// What of a response's head makes no sense.
enum ResponseFault: Error {
    case statusLine
    case headerField
}
