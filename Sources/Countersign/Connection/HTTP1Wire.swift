// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// One exchange after the other over a connection of its own (RFC 9112).
struct HTTP1Wire: ExchangeWire {
    static let servesSeveral = true

    func write(
        _ exchange: HTTPExchange, whole: ByteBuffer?, to emit: (HTTPClientRequestPart, _ isLast: Bool) -> Void
    ) throws {
        emit(try head(exchange), false)
        if let whole { emit(part(whole), false) }
        emit(end(), true)
    }

    func head(_ exchange: HTTPExchange) throws -> HTTPClientRequestPart {
        .head(try HTTPRequestHead(exchange.request, absoluteForm: exchange.isAbsoluteForm))
    }

    func part(_ buffer: ByteBuffer) -> HTTPClientRequestPart { .body(.byteBuffer(buffer)) }

    func end() -> HTTPClientRequestPart { .end(nil) }

    func read(_ part: ExchangePart) -> ExchangePart { part }
}
