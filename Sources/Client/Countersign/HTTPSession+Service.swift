// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if ServiceLifecycleSupport
    public import ServiceLifecycle

    /// A session in a `ServiceGroup` of swift-service-lifecycle, with the trait `ServiceLifecycleSupport`.
    ///
    /// A group shuts its services down in the reverse order, so a session belongs before the services that use it.
    extension HTTPSession: Service {
        /// Waits until the group shuts down gracefully, and then closes the session as ``closeGracefully()`` does.
        ///
        /// - Throws: `CancellationError` if the task is cancelled; the session is closed then, too.
        @concurrent public func run() async throws {
            do {
                try await gracefulShutdown()
            } catch {
                await closeGracefully()
                throw error
            }
            await closeGracefully()
        }
    }
#endif
