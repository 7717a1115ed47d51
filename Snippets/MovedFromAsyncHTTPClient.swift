// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "From AsyncHTTPClient" that keeps the shape of that library's API.

import ChallengeLab
import Countersign
import HTTPClientShape
import NIOCore
import NIOHTTP1

func stored(url: String, session: HTTPSession) async throws {
    let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Accept", value: "text/plain")
    request.body = .bytes(ByteBuffer(string: "some data"))
    let response = try await httpClient.execute(request, timeout: .seconds(30))
    if response.status == .ok {
        let body = try await response.body.collect(upTo: 1024 * 1024)
        print(String(buffer: body))
    }
    try await httpClient.shutdown()
}

func stored(over session: HTTPSession) async throws {
    let httpClient = HTTPClient(over: session)
    _ = httpClient
}

let lab = try await Lab.start()
try await stored(url: lab[.plainHTTP].url, session: HTTPSession())
try await lab.stop()
