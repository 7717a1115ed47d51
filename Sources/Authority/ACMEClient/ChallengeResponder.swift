// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
internal import ServerConnections

/// Answers challenges of one kind.
public protocol ChallengeResponder: Sendable {
    /// The kind of the challenges that the responder answers.
    var kind: Challenge.Kind { get }

    /// Puts a proof where the authority looks for it, and returns when the authority can find it there.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: Any error, if that is not possible; ``ACMEAccount/obtain(_:key:answering:profile:replacing:)`` then throws it.
    func present(_ proof: ChallengeProof) async throws

    /// Removes a proof again.
    ///
    /// The client calls this for every proof that it has passed to ``present(_:)``, even if that or the validation failed.
    ///
    /// - Parameter proof: The proof.
    func withdraw(_ proof: ChallengeProof) async
}

/// The answer to a challenge, which the authority looks for.
public struct ChallengeProof: Hashable, Sendable {
    /// The name, without `*.`.
    public let identifier: Identifier
    /// The token of the challenge, in base64url, which is safe in a path.
    public let token: String
    /// The token with the thumbprint of the account's key, from which the answer is made.
    public let authorization: KeyAuthorization

    /// A proof by its parts.
    public init(identifier: Identifier, token: String, authorization: KeyAuthorization) {
        (self.identifier, self.token, self.authorization) = (identifier, token, authorization)
    }
}

/// Answers challenges by functions, such as those that run a program which changes a DNS zone.
public struct HookResponder: ChallengeResponder {
    /// The kind of the challenges.
    public let kind: Challenge.Kind
    private let add: @Sendable (ChallengeProof) async throws -> Void
    private let remove: @Sendable (ChallengeProof) async -> Void

    /// Makes a responder of two functions.
    ///
    /// - Parameters:
    ///   - kind: The kind of the challenges.
    ///   - add: Puts a proof in its place, and returns when the authority can find it there.
    ///   - remove: Removes a proof again, even if adding it failed.
    public init(
        _ kind: Challenge.Kind, add: @escaping @Sendable (ChallengeProof) async throws -> Void,
        remove: @escaping @Sendable (ChallengeProof) async -> Void
    ) {
        (self.kind, self.add, self.remove) = (kind, add, remove)
    }

    /// Puts a proof in its place.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: The error of the function that adds proofs.
    public func present(_ proof: ChallengeProof) async throws { try await add(proof) }

    /// Removes a proof again.
    ///
    /// - Parameter proof: The proof.
    public func withdraw(_ proof: ChallengeProof) async { await remove(proof) }
}

/// Bounds the connections to a responder, which the whole network can reach.
final class ConnectionLimit: Sendable {
    /// Far longer than an authority needs for one look.
    private let lifetime: TimeAmount
    private let most: Int
    private let open = NIOLockedValueBox(0)

    init(lifetime: TimeAmount = .seconds(20), most: Int = 128) { (self.lifetime, self.most) = (lifetime, most) }

    /// Listens on a port, where it accepts no connection while no descriptor is left; the closure adds a new connection's handlers.
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

    /// Closes a new connection when its time is over, or at once where there are too many.
    func apply(to channel: any Channel) {
        let count = open.withLockedValue { count in
            count += 1
            return count
        }
        channel.closeFuture.whenComplete { [open] _ in open.withLockedValue { $0 -= 1 } }
        guard count <= most else { return channel.close(promise: nil) }
        let end = channel.eventLoop.scheduleTask(in: lifetime) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in end.cancel() }
    }
}
