// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
import NIOPosix

/// Asks name servers over UDP, and over TCP where a response does not fit (RFC 1035 section 4.2, RFC 7766).
///
/// A response counts where it comes from the server to the port of the query, and has the query's random identifier and its question
/// in the same mix of upper and lower case. Each query has a separate socket, so that the system gives it a random port.
public struct DNSClient: Sendable {
    private let threads: NIOThreadPool
    private let attempts: Int
    private let timeout: Duration

    /// A client.
    ///
    /// - Parameters:
    ///   - concurrency: How many queries wait for their responses at a time; each does so in a thread.
    ///   - attempts: How often a query is sent at most.
    ///   - timeout: How long a response to each is waited for.
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
    ///   - recursion: Whether the server is asked to ask others.
    /// - Returns: The response, with any response code.
    /// - Throws: ``DNSClientError``, and `CancellationError` where the task was cancelled before the query was sent.
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
    public func shutDown() async throws { try await threads.shutdownGracefully() }
}
