// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import POSIX

/// Opens sockets: to the address that answers first of all that a name has (RFC 8305, by NIO), or to one of the file system.
struct ChannelOpener: Sendable {
    let group: any EventLoopGroup
    /// For all addresses together.
    let timeout: Duration
    /// Whether the sockets lead to an origin or to a proxy, for errors.
    var role = ConnectionPeer.Role.origin
    /// Finds a name's addresses; `nil` for the system's resolver.
    var resolver: (any Resolver & Sendable)?

    /// Opens a socket; a cancelled task leaves no attempt behind.
    ///
    /// - Parameters:
    ///   - destination: Where it leads.
    ///   - initialize: Puts the first handlers on a channel, before its first byte; called for each address that is tried.
    /// - Returns: The channel of the address that answered.
    /// - Throws: ``TransportError``; `CancellationError` where the task is cancelled.
    func open(
        _ destination: ConnectTarget, initialize: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        let attempts = Attempts()
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(TimeAmount(timeout))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try attempts.add(channel)
                    try initialize(channel)
                }
            }
        let opening = connect(bootstrap, to: destination)
        let result = opening.eventLoop.makePromise(of: (any Channel).self)
        opening.cascade(to: result)
        return try await withTaskCancellationHandler {
            do {
                return try await result.futureResult.get()
            } catch {
                throw ConnectFailure.classify(error, destination, role: role)
            }
        } onCancel: {
            result.fail(CancellationError())
            attempts.end()
            opening.whenSuccess { $0.close(promise: nil) }
        }
    }

    private func connect(_ bootstrap: ClientBootstrap, to destination: ConnectTarget) -> EventLoopFuture<any Channel> {
        switch destination {
        case .endpoint(let endpoint):
            guard (1...65_535).contains(endpoint.port) else {
                return group.next().makeFailedFuture(TransportError.invalidPort(endpoint))
            }
            let bootstrap = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // An address needs no look-up, and there is no other address to race with.
            if let address = endpoint.host.addressBytes,
                let place = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address), port: endpoint.port)
            {
                return bootstrap.connect(to: place)
            }
            return bootstrap.resolver(resolver)
                .connect(host: endpoint.host.description, port: endpoint.port)
        case .unixSocket(let path):
            // A system would end the path at a zero byte, and connect to another.
            guard !path.isEmpty, !path.utf8.contains(0) else {
                let error = TransportError.cannotConnectToSocket(path, .malformedPath)
                return group.next().makeFailedFuture(error)
            }
            return bootstrap.connect(unixDomainSocketPath: path)
        }
    }

    /// The sockets that are tried, until one is open.
    private final class Attempts: Sendable {
        private let state = NIOLockedValueBox<(channels: [any Channel], isOver: Bool)>(([], false))

        func add(_ channel: any Channel) throws {
            let isOver = state.withLockedValue { state in
                state.channels.append(channel)
                return state.isOver
            }
            if isOver { throw CancellationError() }
        }

        /// Closes those that wait for an answer; no other is tried.
        func end() {
            let channels = state.withLockedValue { state in
                state.isOver = true
                return state.channels
            }
            for channel in channels { channel.close(promise: nil) }
        }
    }
}

/// Lets a socket connect only to addresses that are allowed.
///
/// It judges the address that is connected to, after its name was resolved. A check of the name would leave time to resolve it
/// to something else (DNS rebinding).
final class AddressGuard: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let allows: @Sendable (SocketAddress) -> Bool

    init(_ allows: @escaping @Sendable (SocketAddress) -> Bool) {
        self.allows = allows
    }

    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        guard allows(address) else {
            promise?.fail(AddressRefused())
            return
        }
        context.connect(to: address, promise: promise)
    }
}

/// The owner of the connection does not allow the address (``Connector/Settings/allowsAddress``).
package struct AddressRefused: Error {
    package init() {}
}

/// Turns what NIO throws when no connection comes about into the session's error.
enum ConnectFailure {
    /// The role is that of an endpoint; a socket of the file system always leads to an origin.
    static func classify(_ error: any Error, _ destination: ConnectTarget, role: ConnectionPeer.Role) -> any Error {
        switch destination {
        case .endpoint(let endpoint): classify(error, ConnectionPeer(endpoint, role: role))
        case .unixSocket(let path): classify(error, path)
        }
    }

    private static func classify(_ error: any Error, _ peer: ConnectionPeer) -> any Error {
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            TransportError.cannotResolve(peer)
        case let error as NIOConnectionError:
            classify(mostTelling(error.connectionErrors.map(\.error)), peer)
        case let error as IOError:
            TransportError.cannotConnect(peer, reason(error.errnoCode))
        case ChannelError.connectTimeout:
            TransportError.cannotConnect(peer, .timedOut)
        case is SocketAddressError:
            TransportError.cannotResolve(peer)
        default:
            error
        }
    }

    /// A name with several addresses fails once per address; an address that was not tried may be the one that answers, and "refused"
    /// says more than "unreachable".
    private static func mostTelling(_ errors: [any Error]) -> any Error {
        [EMFILE, ENFILE, ECONNREFUSED].lazy
            .compactMap { code in errors.first { ($0 as? IOError)?.errnoCode == code } }.first
            ?? errors.first { !($0 is AddressRefused) } ?? errors.first ?? ChannelError.eof
    }

    private static func reason(_ code: Int32) -> ConnectFailureReason {
        switch code {
        case ECONNREFUSED: .refused
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: .unreachable
        case ETIMEDOUT: .timedOut
        default: .system(code)
        }
    }

    private static func classify(_ error: any Error, _ path: String) -> any Error {
        switch error {
        case SocketAddressError.unixDomainSocketPathTooLong:
            TransportError.cannotConnectToSocket(path, .pathTooLong)
        case ChannelError.connectTimeout:
            TransportError.cannotConnectToSocket(path, .timedOut)
        case let error as IOError:
            TransportError.cannotConnectToSocket(path, socketFailure(error.errnoCode))
        default:
            error
        }
    }

    private static func socketFailure(_ code: Int32) -> SocketFailure {
        switch code {
        case ENOENT, ENOTDIR: .notFound
        case ENAMETOOLONG: .pathTooLong
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .timedOut
        default: .system(code)
        }
    }
}
