// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "From AsyncHTTPClient" that uses a session instead.

import Countersign
import Foundation
import NIOCore

struct Bolt: Codable, Sendable {
    var name: String
}

func sending(url: String, file: URL, buffer: ByteBuffer) async throws {
    let session = HTTPSession()
    _ = try await session.get(url)
    let request = SessionRequest.post(url).header(.userAgent, "shop/1").body(.text("some data"))
    let response = try await session.send(request)
    if response.status == .ok {
        let body = try await response.body.collect(upTo: 1024 * 1024)
        print(body.readableBytes)
    }
    _ = try await session.get(url, as: Bolt.self)
    _ = try await session.put(url, body: .bytes(Array(buffer.readableBytesView)))
    _ = try await session.download(url, to: file)
    await session.close()
}

func streaming(url: String, parts: AsyncStream<ByteBuffer>) async throws {
    let session = HTTPSession()
    _ = try await session.put(url, body: .oneShot(length: 1 << 20, parts))
    for try await part in try await session.get(url).body { print(part.readableBytes) }
    await session.close()
}

func configuring() throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.connectTimeout = .seconds(1)
    configuration.handshakeTimeout = .seconds(1)
    configuration.idleTimeout = .seconds(1)
    configuration.redirectLimit = 0
    configuration.allowsRedirectsToPlainHTTP = true
    configuration.proxy = try Proxy("http://proxy.example:3128")
    return HTTPSession(configuration)
}
