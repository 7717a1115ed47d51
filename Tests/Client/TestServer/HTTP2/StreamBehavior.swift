// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHPACK
package import NIOHTTP2

extension TestServer {
    /// A step of an HTTP/2 stream (RFC 9113 section 5).
    ///
    /// A stream carries out its behaviors in order, and keeps its state after the last one.
    package enum StreamBehavior: Sendable {
        /// Sends a response.
        case respond(Int, [(String, String)] = [], body: [UInt8] = [])
        /// Sends the head of a response whose body follows.
        case head(Int)
        /// Waits for the complete body of the request, and sends it as the rest of the response.
        case echo
        /// Sends RST_STREAM.
        case reset(NIOHTTP2.HTTP2ErrorCode)
        /// Sends GOAWAY with the previous stream as the last processed one.
        case goAwayBefore
        /// Sends GOAWAY with this stream as the last processed one.
        case goAwayAfter
        /// Sends GOAWAY with an error and debug data; `isProcessed` states whether this stream counts as processed.
        case goAway(NIOHTTP2.HTTP2ErrorCode, isProcessed: Bool, debugData: String = "")
        /// Closes the connection.
        case close
        /// Holds back the connection's output, as if the server were unreachable.
        case holdOutput
        /// Sends the output that was held back.
        case resumeOutput
        /// Waits until the server has received a number of requests.
        case awaitRequests(Int)

        func perform(on stream: inout HTTP2Stream) async throws {
            let connection = stream.connection
            switch self {
            case .respond(let status, let fields, let body):
                let headers = HPACKHeaders([(":status", "\(status)")] + fields)
                try await stream.send(.headers(.init(headers: headers, endStream: body.isEmpty)))
                if !body.isEmpty { try await stream.end(with: body) }
            case .head(let status): try await stream.send(.headers(.init(headers: [":status": "\(status)"])))
            case .echo: try await stream.end(with: stream.body())
            case .reset(let code): try await stream.send(.rstStream(code))
            case .goAwayBefore: try await connection.goAway(after: max(0, stream.id() - 2))
            case .goAwayAfter: try await connection.goAway(after: stream.id())
            case .goAway(let code, let isProcessed, let debugData):
                let last = try await stream.id() - (isProcessed ? 0 : 2)
                try await connection.goAway(after: max(0, last), code, debugData)
            case .close: connection.close()
            case .holdOutput: connection.holdOutput()
            case .resumeOutput: connection.resumeOutput()
            case .awaitRequests(let count):
                while connection.recorder.requestCount < count { try await Task.sleep(for: .milliseconds(2)) }
            }
        }
    }
}
