// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import NIOCore

extension HTTPClient {
    /// On which threads a client runs.
    public struct EventLoopGroupProvider: Sendable {
        /// `nil` leaves it to the session.
        let group: (any EventLoopGroup)?

        /// Those of the session's configuration: unless said otherwise, what all of the process shares, `MultiThreadedEventLoopGroup.singleton`.
        public static let singleton = Self(group: nil)

        /// The caller's own.
        ///
        /// - Parameter group: Shut down by the caller, after the client.
        /// - Returns: The provider.
        public static func shared(_ group: any EventLoopGroup) -> Self { Self(group: group) }

        /// Was: threads of the client's own.
        @available(*, deprecated, message: "A client makes no threads; this is .singleton.")
        public static var createNew: Self { singleton }
    }
}
