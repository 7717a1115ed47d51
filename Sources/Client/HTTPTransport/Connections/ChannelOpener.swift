// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import POSIX

/// An opener of sockets to the first address of a host that answers (RFC 8305, by NIO), or to a Unix domain socket.
struct ChannelOpener: Sendable {
    let group: any EventLoopGroup
    /// The timeout for all addresses together.
    let timeout: Duration
    /// The role of the peer, for errors.
    var role = ConnectionPeer.Role.origin
    /// The name resolver; `nil` for the system's resolver.
    var resolver: (any Resolver & Sendable)?

    /// Opens a socket; cancelling the task closes all pending attempts.
    ///
    /// - Parameters:
    ///   - destination: The destination of the socket.
    ///   - initialize: Adds the first handlers to a channel before its first byte; called for each attempted address.
    /// - Returns: The channel of the address that answered.
    /// - Throws: ``TransportError``; `CancellationError` if the task is cancelled.
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
                // The end of an attempt is no answer of the host.
                try Task.checkCancellation()
                throw ConnectFailure.classify(error, destination, role: role, timeout: timeout)
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
            // An IP address needs no resolution, and there is no second address to try.
            if let address = endpoint.host.addressBytes,
                let place = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address), port: endpoint.port)
            {
                return bootstrap.connect(to: place)
            }
            let loopback = endpoint.host.isLocalhost ? LoopbackResolver(eventLoop: group.next()) : nil
            return bootstrap.resolver(resolver ?? loopback)
                .connect(host: endpoint.host.description, port: endpoint.port)
        case .unixSocket(let file):
            return bootstrap.connect(unixDomainSocketPath: file.path)
        }
    }

    /// The sockets of the connection attempts, until one is open.
    private final class Attempts: Sendable {
        private let state = NIOLockedValueBox<(channels: [any Channel], isOver: Bool)>(([], false))

        func add(_ channel: any Channel) throws {
            let isOver = state.withLockedValue { state in
                state.channels.append(channel)
                return state.isOver
            }
            if isOver { throw CancellationError() }
        }

        /// Closes the pending sockets and prevents further attempts.
        func end() {
            let channels = state.withLockedValue { state in
                state.isOver = true
                return state.channels
            }
            for channel in channels { channel.close(promise: nil) }
        }
    }
}

/// A resolver of `localhost` and the names below it: not every resolver knows these names and both addresses (RFC 6761
/// section 6.3).
private struct LoopbackResolver: Resolver, Sendable {
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { result("127.0.0.1", port) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { result("::1", port) }

    func cancelQueries() {}

    private func result(_ address: String, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeCompletedFuture { [try SocketAddress(ipAddress: address, port: port)] }
    }
}

/// A handler that lets a socket connect only to allowed addresses of one IP version.
///
/// It checks the address of the connection itself, after name resolution. If only the name were checked beforehand, it
/// could later resolve to a different address (DNS rebinding).
final class AddressGuard: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let family: AddressFamily
    private let allows: (@Sendable (SocketAddress) -> Bool)?

    /// Creates a handler; `nil` allows all addresses of the family.
    init(_ family: AddressFamily, allows: (@Sendable (SocketAddress) -> Bool)?) {
        (self.family, self.allows) = (family, allows)
    }

    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        guard family.includes(address) else {
            promise?.fail(AddressFamilyRefused(family: family))
            return
        }
        guard allows?(address) ?? true else {
            promise?.fail(AddressRefused())
            return
        }
        context.connect(to: address, promise: promise)
    }
}

extension AddressFamily {
    /// Returns whether a socket address is of the family; a Unix domain socket is of each.
    fileprivate func includes(_ address: SocketAddress) -> Bool {
        switch (self, address) {
        case (.ipv4, .v6), (.ipv6, .v4): false
        default: true
        }
    }
}

/// The error for an address of another family than the connection may use.
private struct AddressFamilyRefused: Error {
    let family: AddressFamily
}

/// The error for an address that the owner of the connection does not allow (``Connector/Settings/allowsAddress``).
package struct AddressRefused: Error {
    package init() {}
}

/// The conversion of NIO's connection errors into the transport's.
enum ConnectFailure {
    /// Classifies an error; the role applies to endpoints, since a Unix domain socket always leads to an origin.
    static func classify(
        _ error: any Error, _ destination: ConnectTarget, role: ConnectionPeer.Role, timeout: Duration
    ) -> any Error {
        switch destination {
        case .endpoint(let endpoint): classify(error, ConnectionPeer(endpoint, role: role), timeout)
        case .unixSocket(let file): classify(error, file.path, timeout)
        }
    }

    private static func classify(_ error: any Error, _ peer: ConnectionPeer, _ timeout: Duration) -> any Error {
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            TransportError.cannotResolve(peer)
        case let error as NIOConnectionError:
            classify(principalError(error.connectionErrors.map(\.error), of: peer), peer, timeout)
        case let error as IOError:
            TransportError.cannotConnect(peer, reason(error.errnoCode))
        case let error as AddressFamilyRefused:
            TransportError.cannotConnect(peer, .noAddress(error.family))
        case ChannelError.connectTimeout:
            TransportError.cannotConnect(peer, .timedOut(after: timeout))
        case is SocketAddressError:
            TransportError.cannotResolve(peer)
        default:
            error
        }
    }

    /// Returns the most informative of the errors, one per address of a name: if no descriptor was left for an address,
    /// that address might have answered, and "refused" is more specific than "unreachable".
    private static func principalError(_ errors: [any Error], of peer: ConnectionPeer) -> any Error {
        let principal: any Error =
            [EMFILE, ENFILE, ECONNREFUSED].lazy
            .compactMap { code in errors.first { ($0 as? IOError)?.errnoCode == code } }.first
            ?? errors.first { !($0 is AddressRefused || $0 is AddressFamilyRefused) } ?? errors.first
            ?? ChannelError.eof
        guard (principal as? IOError)?.errnoCode == ECONNREFUSED,
            let excluded = errors.lazy.compactMap({ $0 as? AddressFamilyRefused }).first
        else { return principal }
        return TransportError.cannotConnect(peer, .refusedOver(excluded.family))
    }

    private static func reason(_ code: Int32) -> ConnectFailureReason {
        switch code {
        case ECONNREFUSED: .refused
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: .unreachable
        case ETIMEDOUT: .timedOut(after: nil)
        default: .system(code)
        }
    }

    private static func classify(_ error: any Error, _ path: String, _ timeout: Duration) -> any Error {
        switch error {
        case SocketAddressError.unixDomainSocketPathTooLong:
            TransportError.cannotConnectToSocket(path, .pathTooLong)
        case ChannelError.connectTimeout:
            TransportError.cannotConnectToSocket(path, .timedOut(after: timeout))
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
        case ETIMEDOUT: .timedOut(after: nil)
        default: .system(code)
        }
    }
}
