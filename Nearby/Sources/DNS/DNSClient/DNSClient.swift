// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
import NIOPosix

/// A client that queries name servers over UDP, and over TCP if a response was truncated (RFC 1035 section 4.2, RFC
/// 7766).
///
/// The client accepts a response only if it comes from the server to the port of the query and repeats the query's
/// random identifier and question. The letters of the question have random case, which the response must repeat, except
/// in the last of several attempts and in a query without an OPT record. Each query uses a separate socket, so that the
/// system assigns it a random port.
public struct DNSClient: Sendable {
    private let threads: NIOThreadPool
    private let attempts: Int
    private let timeout: Duration

    /// Creates a client and starts its threads.
    ///
    /// - Parameters:
    ///   - concurrency: The number of threads, at least 1; each thread waits for the response to one query.
    ///   - attempts: The maximum number of times that a query is sent, at least 1.
    ///   - timeout: The timeout for the response to each query, and again for a response over TCP.
    public init(concurrency: Int = 64, attempts: Int = 3, timeout: Duration = .seconds(2)) {
        threads = NIOThreadPool(numberOfThreads: max(1, concurrency))
        threads.start()
        (self.attempts, self.timeout) = (max(1, attempts), timeout)
    }

    /// Sends a question to a server.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - server: The server.
    ///   - recursion: Whether to request recursion (the RD bit).
    /// - Returns: The response, with any response code.
    /// - Throws: ``DNSClientError``, and `CancellationError` if the task was cancelled before the query was sent, or
    ///   the client was shut down.
    public func response(
        to question: DNSQuestion, from server: DNSServer, recursion: Bool
    ) async throws -> DNSMessage {
        let (attempts, timeout) = (attempts, timeout)
        return try await threads.runIfActive {
            var exchange = DNSExchange(question, server, recursion: recursion, timeout: timeout)
            return try exchange.response(attempts: attempts)
        }
    }

    /// Shuts down the client's threads; the client cannot be used afterwards.
    ///
    /// - Throws: A SwiftNIO error if the threads cannot be shut down.
    public func shutDown() async throws { try await threads.shutdownGracefully() }
}
