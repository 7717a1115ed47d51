// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Slows guesses of the passphrase, by the address that they come from.
///
/// Not for all addresses together: anyone could keep the user out then.
final class GuessLimit: Sendable {
    private struct Guesses {
        var count = 0
        var next: ContinuousClock.Instant
    }

    /// So many wrong guesses cost no time: a person mistypes.
    private static let freeCount = 3
    private static let longestWait = Duration.seconds(15 * 60)
    /// The addresses that are remembered; the one that may guess soonest gives way.
    private static let addressLimit = 1_000

    private let guesses = NIOLockedValueBox<[String: Guesses]>([:])

    /// Notes a guess before it is looked at, so that guesses at the same time are counted too.
    ///
    /// - Parameters:
    ///   - address: Where it comes from; `nil` where that is not known.
    ///   - now: The instant of the guess.
    /// - Throws: ``WebError/tooManyGuesses(seconds:)`` for a guess that comes too early, which is not to be looked at.
    func noteGuess(from address: SocketAddress?, at now: ContinuousClock.Instant = .now) throws(WebError) {
        let name = address.networkName
        let wait = guesses.withLockedValue { guesses -> Duration in
            var one = guesses[name] ?? Guesses(next: now)
            guard one.next <= now else { return one.next - now }
            one.count += 1
            let doublings = min(one.count - Self.freeCount, 10)
            if doublings >= 0 { one.next = now + min(.seconds(1 << doublings), Self.longestWait) }
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

    /// Forgets the guesses from an address, of which the last was right.
    func noteSuccess(from address: SocketAddress?) {
        guesses.withLockedValue { $0[address.networkName] = nil }
    }
}
