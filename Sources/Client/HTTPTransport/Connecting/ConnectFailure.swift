// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
