// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import NIOCore

extension HTTPClient {
    /// On which threads a client runs: those that all of the process shares, `MultiThreadedEventLoopGroup.singleton`.
    public struct EventLoopGroupProvider: Hashable, Sendable {
        /// The threads that all of the process shares.
        public static let singleton = Self()

        /// Was: threads of the caller's own.
        @available(*, deprecated, message: "A session runs on NIO's singleton group, and not on this one.")
        public static func shared(_ group: any EventLoopGroup) -> Self { singleton }

        /// Was: threads of the client's own.
        @available(*, deprecated, message: "A session runs on NIO's singleton group.")
        public static var createNew: Self { singleton }
    }
}
