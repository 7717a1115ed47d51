// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import NIOConcurrencyHelpers

/// A memory of server keys from their first use, for `TrustPolicy.Validation.firstUse`.
public protocol ServerMemory: Sendable {
    /// Returns the remembered key of a server.
    ///
    /// - Parameter endpoint: The host and port of the server.
    /// - Returns: The remembered key; `nil` if none is remembered.
    /// - Throws: An error if the memory cannot be read. The connection fails with that error.
    func server(at endpoint: HostEndpoint) async throws -> RememberedServer?

    /// Remembers a server's key unless one is remembered already, in one atomic step.
    ///
    /// The session calls this after the server has proved possession of the private key. No timeout of the handshake
    /// applies to the call, so it may ask the user.
    ///
    /// - Parameters:
    ///   - server: The key that the server presents now.
    ///   - endpoint: The host and port of the server.
    ///   - verdict: The verdict on the server's chain, which the policy accepts. `Verdict.isTrustedByKey` is `false` if
    ///     the chain has a path to an anchor.
    /// - Returns: The remembered key: the one seen first, or the one that the server presents now. `nil` declines the
    ///   server, so that the connection fails with ``TrustError/notTrusted(_:_:_:)``.
    /// - Throws: An error if the memory cannot be written. The connection fails with that error.
    func firstSeen(
        _ server: RememberedServer, at endpoint: HostEndpoint, verdict: Verdict
    ) async throws -> RememberedServer?

    /// Removes the remembered key of a server, so that its next key counts as the first one.
    ///
    /// Connections that are open remain open.
    ///
    /// - Parameter endpoint: The host and port of the server. If it has no remembered key, nothing is removed.
    /// - Throws: An error if the memory cannot be written.
    func forget(_ endpoint: HostEndpoint) async throws
}

extension ServerMemory {
    /// Returns a memory that asks before it remembers the key of a server without a path to an anchor.
    ///
    /// Concurrent connections to a server ask one question.
    ///
    /// - Parameter confirm: Asks whether the server with this key is trusted. The closure receives the key, the host
    ///   and port, and the verdict, whose `explanation` is a text for the user, with the failures that the key would
    ///   override. Its errors fail the connection.
    /// - Returns: A memory that stores the confirmed keys in this one.
    public func confirming(
        _ confirm: @escaping @Sendable (RememberedServer, HostEndpoint, Verdict) async throws -> Bool
    ) -> some ServerMemory {
        ConfirmingServerMemory(memory: self, confirm: confirm)
    }
}

/// A server memory that asks before it remembers a key.
private actor ConfirmingServerMemory: ServerMemory {
    private struct Question: Hashable {
        let endpoint: HostEndpoint
        let key: Pin
    }

    private let memory: any ServerMemory
    private let confirm: @Sendable (RememberedServer, HostEndpoint, Verdict) async throws -> Bool
    private var answers: [Question: Task<RememberedServer?, any Error>] = [:]

    init(
        memory: any ServerMemory,
        confirm: @escaping @Sendable (RememberedServer, HostEndpoint, Verdict) async throws -> Bool
    ) {
        (self.memory, self.confirm) = (memory, confirm)
    }

    func server(at endpoint: HostEndpoint) async throws -> RememberedServer? { try await memory.server(at: endpoint) }

    func firstSeen(
        _ server: RememberedServer, at endpoint: HostEndpoint, verdict: Verdict
    ) async throws -> RememberedServer? {
        let question = Question(endpoint: endpoint, key: server.key)
        while true {
            let answer = answers[question] ?? Task { try await ask(server, endpoint, verdict) }
            answers[question] = answer
            defer { if answers[question] == answer { answers[question] = nil } }
            do {
                return try await withTaskCancellationHandler {
                    try await answer.value
                } onCancel: {
                    answer.cancel()
                }
            } catch _ where answer.isCancelled && !Task.isCancelled {
                // Another connection shared the question, and was cancelled.
                continue
            }
        }
    }

    func forget(_ endpoint: HostEndpoint) async throws { try await memory.forget(endpoint) }

    private func ask(
        _ server: RememberedServer, _ endpoint: HostEndpoint, _ verdict: Verdict
    ) async throws -> RememberedServer? {
        if verdict.isTrustedByKey {
            if let known = try await memory.server(at: endpoint) { return known }
            guard try await confirm(server, endpoint, verdict) else { return nil }
        }
        return try await memory.firstSeen(server, at: endpoint, verdict: verdict)
    }
}

/// A server memory in the process, which is lost when its last reference is released.
public final class VolatileServerMemory: ServerMemory {
    private let servers = NIOLockedValueBox<[HostEndpoint: RememberedServer]>([:])

    /// Makes an empty memory.
    public init() {}

    /// Returns the remembered key of a server; `nil` if none is remembered.
    public func server(at endpoint: HostEndpoint) -> RememberedServer? { servers.withLockedValue { $0[endpoint] } }

    /// Remembers a server's key unless one is remembered already, and returns the remembered key.
    public func firstSeen(
        _ server: RememberedServer, at endpoint: HostEndpoint, verdict: Verdict
    ) -> RememberedServer? {
        servers.withLockedValue { servers in
            let first = servers[endpoint] ?? server
            servers[endpoint] = first
            return first
        }
    }

    /// Removes the remembered key of a server, if there is one.
    public func forget(_ endpoint: HostEndpoint) { servers.withLockedValue { $0[endpoint] = nil } }
}
