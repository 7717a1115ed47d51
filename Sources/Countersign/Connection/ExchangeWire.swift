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

    init()

    /// A request without a body, or with one that is there whole; the last part is said to be the last.
    ///
    /// - Throws: What cannot be written.
    func write(_ exchange: HTTPExchange, whole: ByteBuffer?, to emit: (Outbound, _ isLast: Bool) -> Void) throws

    /// A request whose body follows.
    ///
    /// - Throws: What cannot be written.
    func head(_ exchange: HTTPExchange) throws -> Outbound

    func part(_ buffer: ByteBuffer) -> Outbound

    func end() -> Outbound

    /// - Throws: What makes no sense as a response.
    mutating func read(_ part: Inbound) throws -> ExchangePart
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
