// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Open connections, so that stopping leaves none behind.
final class ConnectionSet: Sendable {
    private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

    var count: Int { channels.withLockedValue(\.count) }

    func insert(_ channel: any Channel) {
        let identifier = ObjectIdentifier(channel)
        channels.withLockedValue { $0[identifier] = channel }
        channel.closeFuture.whenComplete { _ in
            self.channels.withLockedValue { $0[identifier] = nil }
        }
    }

    func closeAll() async {
        for channel in channels.withLockedValue({ Array($0.values) }) {
            channel.close(promise: nil)
            try? await channel.closeFuture.get()
        }
    }
}
