// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// A session's contexts that have no handshake at the moment: making one is no small part of a handshake.
final class TLSContextCache: Sendable {
    /// As many handshakes at once find one made.
    private static let limit = 32

    private let free = NIOLockedValueBox<[TLSContext]>([])

    /// The context that was put back last, or a new one.
    func take(_ kind: TLSContext.Kind) throws -> TLSContext {
        let known = free.withLockedValue { free in
            free.lastIndex { $0.kind == kind }.map { free.remove(at: $0) }
        }
        return try known ?? TLSContext(kind)
    }

    func put(_ context: TLSContext) {
        guard context.isReusable else { return }
        free.withLockedValue { free in
            if free.count >= Self.limit { free.removeFirst() }
            free.append(context)
        }
    }
}
