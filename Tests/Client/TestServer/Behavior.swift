// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
package import NIOHTTP2

extension TestServer {
    /// A step of a connection.
    ///
    /// A connection carries out its behaviors in order, and closes after the last one. A connection without behaviors is
    /// closed as soon as it is accepted.
    package enum Behavior: Sendable {
        /// Waits for a number of bytes.
        case receive(Int)
        /// Waits for the head of a request.
        case receiveHead
        /// Reads until the client closes.
        case receiveRest
        /// Stops reading, and keeps the connection open until the server stops.
        case stall
        /// Waits for a duration.
        case delay(Duration)
        /// Sends bytes.
        case send([UInt8])
        /// Sends the bytes of later behaviors in pieces of a size, with a pause after each piece.
        case sendInPieces(of: Int, every: Duration = .zero)
        /// Closes the connection after it has sent a number of bytes, counted from this step.
        case closeAfterSending(Int)
        /// Closes the connection.
        case close
        /// Connects to a port of 127.0.0.1, and passes bytes on in both directions.
        case forward(to: Int)
        /// Serves HTTP/2 until one side closes.
        ///
        /// A script decides what each stream does, after the complete request has arrived or after its head has.
        case http2(settings: HTTP2Settings = [], answersEarly: Bool = false, HTTP2Request.Script)
        /// Runs a closure.
        case script(TestConnection.Script)

        /// Sends lines, each with CR LF at its end.
        package static func send(_ lines: String...) -> Self { .send(TestConnection.bytes(of: lines)) }

        fileprivate func perform(on connection: inout TestConnection) async throws {
            switch self {
            case .receive(let count): _ = try await connection.bytes(count: count)
            case .receiveHead: _ = try await connection.head()
            case .receiveRest: _ = try await connection.rest()
            case .stall: try await Task.sleep(for: .seconds(3600))
            case .delay(let duration): try await Task.sleep(for: duration)
            case .send(let bytes): try await connection.send(bytes: bytes)
            case .sendInPieces(let size, let interval):
                (connection.sender.pieceSize, connection.sender.interval) = (size, interval)
            case .closeAfterSending(let count): connection.sender.allowance = count
            case .close: throw TestConnection.Ended()
            case .forward(let port): try await connection.forward(to: port)
            case .http2(let settings, let answersEarly, let script):
                try await connection.serveHTTP2(settings, answersEarly: answersEarly, script)
            case .script(let script): try await script(&connection)
            }
        }
    }
}

extension TestConnection {
    /// Carries out behaviors, and closes the connection if they are cancelled.
    mutating func perform(_ behaviors: [TestServer.Behavior]) async throws {
        try await withTaskCancellationHandler {
            // A TLS handshake needs a read, whatever the first behavior is.
            sender.channel.read()
            for behavior in behaviors { try await behavior.perform(on: &self) }
        } onCancel: { [sender] in
            sender.channel.close(promise: nil)
        }
    }
}
