// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// How often each nonce of one server was answered (`nc`, RFC 7616 section 3.4): a count that is never given out twice.
///
/// Servers reuse nonces: in answers to requests sent at once, in `nextnonce`, or because they have only one.
public final class NonceCounts: Sendable {
    /// How many nonces are kept; of more, the oldest are forgotten.
    public static let limit = 1_024

    private struct State {
        var counts: [String: UInt32] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// No nonce was answered yet.
    public init() {}

    /// Counts one answer: 1 for a nonce's first.
    ///
    /// - Throws: ``HTTPAuthenticatorError/nonceExhausted`` after 2^32 - 1.
    func next(_ nonce: String) throws(HTTPAuthenticatorError) -> UInt32 {
        let count = state.withLock { state -> UInt32? in
            let (next, isExhausted) = (state.counts[nonce] ?? 0).addingReportingOverflow(1)
            guard !isExhausted else { return nil }
            if state.counts.updateValue(next, forKey: nonce) == nil {
                state.order.append(nonce)
                if state.order.count > Self.limit { state.counts[state.order.removeFirst()] = nil }
            }
            return next
        }
        guard let count else { throw .nonceExhausted }
        return count
    }
}
