// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import NIOCore

extension HTTPClient {
    /// The event loops that a client runs on.
    public struct EventLoopGroupProvider: Sendable {
        /// `nil` leaves it to the session.
        let group: (any EventLoopGroup)?

        /// The event loops of the session's configuration; by default those that the whole process shares,
        /// `MultiThreadedEventLoopGroup.singleton`.
        public static let singleton = Self(group: nil)

        /// The event loops of the caller.
        ///
        /// - Parameter group: The event loops, which the caller shuts down after the client.
        /// - Returns: The provider.
        public static func shared(_ group: any EventLoopGroup) -> Self { Self(group: group) }

        /// The event loops of the session's configuration, as ``singleton``; in AsyncHTTPClient, event loops of the client alone.
        @available(*, deprecated, message: "A client makes no threads; this is .singleton.")
        public static var createNew: Self { singleton }
    }
}
