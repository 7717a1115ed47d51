// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Whoever sends requests and gives back responses (RFC 9110 section 3.3): a ``Session``, or what stands in for one in a test.
///
/// The one requirement is all that a stand-in has to write; verbs, JSON and decoding are extensions, and come with it.
public protocol Client: Sendable {
    /// Sends a request.
    ///
    /// - Parameter request: What is sent.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; for a session, what a handler throws.
    func send(_ request: Request) async throws -> Response
}

extension Session: Client {}
