// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
import NIOPosix

/// A client that asks name servers over UDP, and over TCP if a response does not fit (RFC 1035 section 4.2, RFC 7766).
///
/// The client accepts a response that comes from the server to the port of the query, and that has the query's random identifier and its
/// question. The question's letters have random cases, which the response must repeat, except in the last of several attempts and in
/// a query without an OPT record. Each query has a separate socket, so that the system gives it a random port.
public struct DNSClient: Sendable {
    private let threads: NIOThreadPool
    private let attempts: Int
    private let timeout: Duration

    /// Makes a client, and starts its threads.
    ///
    /// - Parameters:
    ///   - concurrency: The number of threads, at least 1; each waits for the response to one query.
    ///   - attempts: How often a query is sent at most, at least 1.
    ///   - timeout: How long the client waits for the response to each query, and again for that over TCP.
    public init(concurrency: Int = 64, attempts: Int = 3, timeout: Duration = .seconds(2)) {
        threads = NIOThreadPool(numberOfThreads: max(1, concurrency))
        threads.start()
        (self.attempts, self.timeout) = (max(1, attempts), timeout)
    }

    /// Asks a server a question.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - server: The server.
    ///   - recursion: Whether the server is asked to ask other servers.
    /// - Returns: The response, with any response code.
    /// - Throws: ``DNSClientError``, and `CancellationError` if the task was cancelled before the query was sent, or the client was shut
    ///   down.
    public func response(
        to question: DNSQuestion, from server: DNSServer, recursion: Bool
    ) async throws -> DNSMessage {
        let (attempts, timeout) = (attempts, timeout)
        return try await threads.runIfActive {
            var exchange = DNSExchange(question, server, recursion: recursion, timeout: timeout)
            return try exchange.response(attempts: attempts)
        }
    }

    /// Ends the client's threads; it cannot ask any more.
    ///
    /// - Throws: The error of SwiftNIO if the threads cannot be ended.
    public func shutDown() async throws { try await threads.shutdownGracefully() }
}
