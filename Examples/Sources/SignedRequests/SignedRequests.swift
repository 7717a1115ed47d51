// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Crypto
import Foundation
import Logging

/// Signs the method, URL, date and body of each request with HMAC-SHA-256, and logs the request.
struct SignedRequestSender<Base: RequestSender>: RequestSender {
    let base: Base
    let keyName: String
    let key: SymmetricKey
    let logger: Logger

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        var request = request
        let date = httpDate(.now)
        var hmac = HMAC<SHA256>(key: key)
        hmac.update(data: Data("\(request.method)\n\(request.url)\n\(date)\n".utf8))
        let body = try await request.body?.collect(upTo: 1 << 20)
        hmac.update(data: Array(body?.readableBytesView ?? []))
        request.headerFields[.date] = date
        request.headerFields[.authorization] = "HMAC \(keyName):\(Data(hmac.finalize()).base64EncodedString())"
        // Another URL needs another signature.
        request.redirectDecision = { _ in .deliver }
        let response = try await base.send(request)
        logger.info("\(request): \(response.status)")
        return response
    }

    private func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}

/// Stores a text at a URL and gets it again, with signed requests.
///
/// Usage: SignedRequests URL TEXT KEY-NAME KEY-FILE ROOT.pem
@main struct SignedRequests {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 6 else {
            print("Usage: SignedRequests URL TEXT KEY-NAME KEY-FILE ROOT.pem")
            exit(2)
        }
        do {
            let session = HTTPSession(trust: TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[5]))))
            let key = SymmetricKey(data: try Data(contentsOf: URL(filePath: arguments[4])))
            let client = SignedRequestSender(
                base: session, keyName: arguments[3], key: key, logger: Logger(label: "shop"))
            try await client.put(arguments[1], body: .text(arguments[2])).expecting(.successful)
            print(try await client.get(arguments[1]).expecting(.successful).text())
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}
