// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Services and settings".

import Countersign
import Logging

#if ServiceLifecycleSupport
    import ServiceLifecycle

    /// Reads the stock of a shop until the group shuts down.
    struct Stock: Service {
        let session: HTTPSession

        func run() async throws {
            while !Task.isShuttingDownGracefully {
                _ = try await session.get("https://shop.example/stock").text()
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(60)) }
            }
        }
    }

    func serve() async throws {
        let session = HTTPSession()
        let group = ServiceGroup(
            services: [session, Stock(session: session)], gracefulShutdownSignals: [.sigterm],
            logger: Logger(label: "stock"))
        try await group.run()
    }
#endif

#if ConfigurationSupport
    import Configuration

    func configured() async throws -> HTTPSession {
        let config = ConfigReader(provider: EnvironmentVariablesProvider())
        var configuration = try await HTTPSession.Configuration(reading: config.scoped(to: "shop"))
        configuration.logger = Logger(label: "shop")
        let session = HTTPSession(configuration)
        return session
    }
#endif

func closing(_ session: HTTPSession) async {
    await session.closeGracefully()
}
