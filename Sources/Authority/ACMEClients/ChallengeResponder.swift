// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
internal import ServerConnections

/// A responder that answers challenges of one kind.
public protocol ChallengeResponder: Sendable {
    /// The kind of the challenges that the responder answers.
    var kind: ACMEChallenge.Kind { get }

    /// Publishes a proof, and returns as soon as the authority can find it.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: Any error if that is not possible; ``ACMEAccount/obtain(_:key:answering:profile:replacing:)``
    ///   rethrows it.
    func present(_ proof: ChallengeProof) async throws

    /// Removes a proof.
    ///
    /// The client calls this for every proof that it has passed to ``present(_:)``, even if that call or the
    /// validation failed.
    ///
    /// - Parameter proof: The proof.
    func withdraw(_ proof: ChallengeProof) async
}

/// The answer to a challenge.
public struct ChallengeProof: Hashable, Sendable {
    /// The name, without `*.`.
    public let identifier: ACMEIdentifier
    /// The token of the challenge, in base64url, which is safe in a path.
    public let token: String
    /// The key authorization, from which the answer is made.
    public let authorization: KeyAuthorization

    /// Creates a proof from its parts.
    public init(identifier: ACMEIdentifier, token: String, authorization: KeyAuthorization) {
        (self.identifier, self.token, self.authorization) = (identifier, token, authorization)
    }
}

/// A responder that calls two closures, which can for example run a program that changes a DNS zone.
public struct HookChallengeResponder: ChallengeResponder {
    /// The kind of the challenges.
    public let kind: ACMEChallenge.Kind
    private let add: @Sendable (ChallengeProof) async throws -> Void
    private let remove: @Sendable (ChallengeProof) async -> Void

    /// Creates a responder from two closures.
    ///
    /// - Parameters:
    ///   - kind: The kind of the challenges.
    ///   - add: Publishes a proof, and returns as soon as the authority can find it.
    ///   - remove: Removes a proof, even if adding it failed.
    public init(
        _ kind: ACMEChallenge.Kind, add: @escaping @Sendable (ChallengeProof) async throws -> Void,
        remove: @escaping @Sendable (ChallengeProof) async -> Void
    ) {
        (self.kind, self.add, self.remove) = (kind, add, remove)
    }

    /// Publishes a proof.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: The error of the closure that adds proofs.
    public func present(_ proof: ChallengeProof) async throws { try await add(proof) }

    /// Removes a proof.
    ///
    /// - Parameter proof: The proof.
    public func withdraw(_ proof: ChallengeProof) async { await remove(proof) }
}

/// A limit on the number and lifetime of connections to a responder, which is reachable from the whole network.
final class ConnectionLimit: Sendable {
    /// The maximum lifetime of a connection, far longer than a validation takes.
    private let lifetime: TimeAmount
    private let maximumCount: Int
    private let open = NIOLockedValueBox(0)

    init(lifetime: TimeAmount = .seconds(20), maximumCount: Int = 128) {
        (self.lifetime, self.maximumCount) = (lifetime, maximumCount)
    }

    /// Listens on a port.
    ///
    /// The server accepts no connection while the process has no free file descriptor. The closure adds the handlers of
    /// a new connection.
    func listen(
        _ address: String, _ port: Int, _ addHandlers: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionAcceptance(maximum: .max))
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    self.apply(to: channel)
                    try addHandlers(channel)
                }
            }
            .bind(host: address, port: port).get()
    }

    /// Closes a new connection after the maximum lifetime, or at once if there are too many connections.
    func apply(to channel: any Channel) {
        let count = open.withLockedValue { count in
            count += 1
            return count
        }
        channel.closeFuture.whenComplete { [open] _ in open.withLockedValue { $0 -= 1 } }
        guard count <= maximumCount else { return channel.close(promise: nil) }
        let end = channel.eventLoop.scheduleTask(in: lifetime) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in end.cancel() }
    }
}
