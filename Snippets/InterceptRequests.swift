// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Intercept requests".

import Countersign
import Crypto
import Foundation
import Logging

/// Signs each request with an HMAC of its method, URL, time and body digest.
struct SigningClient<Base: RequestSender>: RequestSender {
    let base: Base
    let keyName: String
    let key: SymmetricKey

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        var request = request
        let bytes = Array(try await request.body?.collect(upTo: 1 << 20).readableBytesView ?? [])
        if let body = request.body {
            request.body = .bytes(bytes)
            request.body?.contentType = body.contentType
        }
        let digest = Data(SHA256.hash(data: bytes)).base64EncodedString()
        let time = Int(Date().timeIntervalSince1970)
        let message = "\(request.method.rawValue)\n\(request.url)\n\(time)\n\(digest)"
        let signature = HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: key)
        request.headerFields[.authorization] = "HMAC \(keyName):\(time):\(Data(signature).base64EncodedString())"
        request.redirectDecision = { _ in .deliver }
        return try await base.send(request)
    }
}

/// Logs each request with its status or error, and its duration.
struct LoggingClient<Base: RequestSender>: RequestSender {
    let base: Base
    let logger: Logger

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        let start = ContinuousClock.now
        do {
            let response = try await base.send(request)
            logger.info("\(request): \(response.status.code) after \(ContinuousClock.now - start)")
            return response
        } catch {
            logger.error("\(request): \(error)")
            throw error
        }
    }
}

func chained(_ session: HTTPSession, key: SymmetricKey) async throws {
    let signing = SigningClient(base: session, keyName: "shop", key: key)
    let shop = LoggingClient(base: signing, logger: Logger(label: "shop"))
    try await shop.post("https://shop.example/bolts", body: .json(["name": "M4"])).expecting(.created)
}
