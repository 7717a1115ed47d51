// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOConcurrencyHelpers
import ServiceLifecycle

/// The web application on loopback, for one browser of this user.
package struct WebServer: Sendable {
    /// Where the pages are.
    package let origin: WebOrigin
    private let access = BrowserAccess()
    private let fetcher: Fetcher
    private let keychain: WebKeychain
    private let lab = WebLab()
    private let folder: PrivateFolder
    private let pages: Pages

    /// More connections wait until others end.
    private static let largestConnectionCount = 512
    /// How long a connection may be idle.
    private static let idleTimeout = TimeAmount.seconds(20)
    /// How long the end waits for responses that are under way.
    private static let longestShutdown = Duration.seconds(5)

    /// Chooses the port and reads the settings.
    ///
    /// - Parameters:
    ///   - port: `nil` for the port of the user, 0 for any that is free.
    ///   - environment: Its variables name the configuration folder and the proxies.
    /// - Throws: ``WebError``, `FileError`, `UnsafeFileError`.
    package init(port: Int? = nil, environment: [String: String]) async throws {
        let file = SettingsFile(environment: environment)
        origin = WebOrigin(port: try await PortChoice.port(port, keptIn: file))
        folder = try PrivateFolder(prefix: "countersign-web-")
        keychain = WebKeychain(environment: environment)
        fetcher = try Fetcher(environment: environment, folder: folder, keychain: keychain)
        pages = try Pages()
    }

    /// Serves until the task is cancelled; then it answers what is under way, and ends.
    ///
    /// - Parameter onRunning: Is given the file that takes the browser here.
    /// - Throws: What binding the port throws.
    package func run(onRunning: @escaping @Sendable (LaunchFile) async -> Void) async throws {
        let file = try LaunchFile(in: folder.path, to: origin, token: access.issueToken())
        // Requests are not logged: their paths and fields say what the user does.
        let logger = Logger(label: "countersign-web") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router { file.remove() },
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [BodyLimit(RequestGuard.largestBody)], idleTimeout: Self.idleTimeout)),
            configuration: ApplicationConfiguration(
                address: .hostname(WebOrigin.address, port: origin.port),
                availableConnectionsDelegate: MaximumAvailableConnections(Self.largestConnectionCount)),
            onServerRunning: { _ in await onRunning(file) }, logger: logger)
        var configuration = ServiceGroupConfiguration(services: [application], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.longestShutdown
        let group = ServiceGroup(configuration: configuration)
        let running = Task {
            // Thrown where responses took too long, and were given up.
            do { try await group.run() } catch is CancellationError {}
        }
        let (fetcher, lab) = (fetcher, lab)
        defer { folder.remove() }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            Task {
                await fetcher.close()
                await lab.stop()
                await group.triggerGracefulShutdown()
            }
        }
    }

    private func router(onEntry: @escaping @Sendable () -> Void) -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.middlewares.add(SafetyFields())
        let errors = ErrorPages(pages: pages, fetcher: fetcher)
        router.middlewares.add(errors)
        router.middlewares.add(RequestGuard(origin: origin, access: access))
        // Within the guard the browser is known, so that these pages say that trust is disabled.
        router.middlewares.add(errors)
        EmbeddedFiles.ofPages.add(to: router)
        EmbeddedFiles.ofComposer.add(to: router)
        EntranceRoutes(access: access, origin: origin, pages: pages, onEntry: onEntry).add(to: router)
        FetchRoutes(fetcher: fetcher, pages: pages).add(to: router)
        let gate = KeychainGate(fetcher: fetcher, keychain: keychain, pages: pages)
        gate.add(to: router)
        CredentialRoutes(gate: gate, pages: pages).add(to: router)
        AdditionRoutes(gate: gate, pages: pages).add(to: router)
        let presents = PresentRoutes(gate: gate, pages: pages)
        presents.add(to: router)
        UploadRoutes(gate: gate, folder: folder).add(to: router)
        SealedRoutes(gate: gate, pages: pages, folder: folder, presents: presents).add(to: router)
        LabRoutes(fetcher: fetcher, lab: lab, pages: pages).add(to: router)
        SettingsRoutes(fetcher: fetcher, pages: pages).add(to: router)
        return router
    }
}
