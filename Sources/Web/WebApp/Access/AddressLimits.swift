// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOConcurrencyHelpers
import NIOCore

/// A limit on the rate of passphrase guesses from each client address.
///
/// The limit does not apply to all addresses together, because anyone could then lock the user out.
final class GuessLimit: Sendable {
    private struct Guesses {
        var count = 0
        var next: ContinuousClock.Instant
    }

    /// The number of wrong guesses without a delay, because users make typing errors.
    private static let freeCount = 3
    private static let maximumDelay = Duration.seconds(15 * 60)
    /// The maximum number of stored addresses; the one whose delay ends first is replaced.
    private static let addressLimit = 1_000

    private let guesses = NIOLockedValueBox<[String: Guesses]>([:])

    /// Records a guess before it is checked, so that simultaneous guesses are counted too.
    ///
    /// - Parameters:
    ///   - address: The client address; `nil` if it is not known.
    ///   - now: The time of the guess.
    /// - Throws: ``WebError/tooManyGuesses(seconds:)`` for a guess that comes too early, which must not be checked.
    func recordGuess(from address: SocketAddress?, at now: ContinuousClock.Instant = .now) throws(WebError) {
        let name = address.networkName
        let wait = guesses.withLockedValue { guesses -> Duration in
            var one = guesses[name] ?? Guesses(next: now)
            guard one.next <= now else { return one.next - now }
            one.count += 1
            let doublings = min(one.count - Self.freeCount, 10)
            if doublings >= 0 { one.next = now + min(.seconds(1 << doublings), Self.maximumDelay) }
            if guesses[name] == nil, guesses.count >= Self.addressLimit,
                let soonest = guesses.min(by: { $0.value.next < $1.value.next })?.key
            {
                guesses[soonest] = nil
            }
            guesses[name] = one
            return .zero
        }
        guard wait == .zero else { throw .tooManyGuesses(seconds: Int(wait.components.seconds) + 1) }
    }

    /// Removes the guesses from an address after a correct one.
    func recordSuccess(from address: SocketAddress?) {
        guesses.withLockedValue { $0[address.networkName] = nil }
    }
}

/// The number of open connections from each address.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let counts = NIOLockedValueBox<[String: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// - Returns: Whether another connection is allowed.
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

/// A handler that closes a connection from an address with too many connections, so that one client cannot use all
/// connections of the server.
final class ConnectionLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let count: ConnectionCount
    /// The counted address; `nil` if the connection was not counted.
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
    /// The address of a computer as far as it can be identified: an IPv4 address, or an IPv6 network, in which a
    /// computer chooses the rest of its address itself (RFC 4291 section 2.5.1).
    var networkName: String {
        let text = self?.ipAddress ?? ""
        guard let bytes = (try? HostName(text))?.addressBytes, bytes.count == 16 else { return text }
        // An IPv4-mapped address of an IPv6 socket (RFC 4291 section 2.5.5.2).
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
        if isMapped { return bytes.suffix(4).map { String($0) }.joined(separator: ".") }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
