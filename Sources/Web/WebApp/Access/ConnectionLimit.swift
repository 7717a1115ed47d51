// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOConcurrencyHelpers
import NIOCore

/// How many connections are open from each address.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let counts = NIOLockedValueBox<[String: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// - Returns: Whether one more is allowed.
    fileprivate func take(_ address: String) -> Bool {
        counts.withLockedValue { counts in
            guard counts[address, default: 0] < limit else { return false }
            counts[address, default: 0] += 1
            return true
        }
    }

    fileprivate func release(_ address: String) {
        counts.withLockedValue { counts in
            let rest = counts[address, default: 1] - 1
            counts[address] = rest > 0 ? rest : nil
        }
    }
}

/// Closes a connection from an address that has too many, so that no one else's take all that the server has.
final class ConnectionLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let count: ConnectionCount
    /// What was counted; `nil` for nothing.
    private var address: String?

    init(_ count: ConnectionCount) { self.count = count }

    func handlerAdded(context: ChannelHandlerContext) {
        let name = context.remoteAddress.networkName
        guard count.take(name) else { return context.close(promise: nil) }
        address = name
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if let address { count.release(address) }
        address = nil
    }
}

extension SocketAddress? {
    /// Of one computer, as far as that can be told: an address of IPv4, or a network of IPv6, in which a computer chooses the rest of
    /// its address itself (RFC 4291 section 2.5.1).
    var networkName: String {
        let text = self?.ipAddress ?? ""
        guard let bytes = (try? HostName(text))?.addressBytes, bytes.count == 16 else { return text }
        // IPv4 as a socket of IPv6 has it (RFC 4291 section 2.5.5.2).
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
        if isMapped { return bytes.suffix(4).map { String($0) }.joined(separator: ".") }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
