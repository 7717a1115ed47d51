// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import HTTPServing
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOConcurrencyHelpers
import ServerConnections
import ServiceLifecycle

/// The web application for one browser of this user: on loopback, or on the network with TLS and a passphrase.
package struct WebServer: Sendable {
    /// The origin of the pages.
    package let origin: WebOrigin
    private let network: NetworkAccess?
    private let environment: [String: String]
    private let access = BrowserAccess()
    private let fetcher: Fetcher
    private let keychain: WebKeychain
    private let lab = WebLab()
    private let folder: PrivateFolder
    private let pages: Pages

    /// The maximum number of connections, above which new ones wait.
    private static let maximumConnectionCount = 512
    /// The maximum idle time of a connection.
    private static let idleTimeout = TimeAmount.seconds(20)
    /// The maximum time that a shutdown waits for pending responses.
    private static let maximumShutdownDuration = Duration.seconds(5)

    /// The default port on the network, which the user's other programs are unlikely to use.
    package static let networkPort = 8443

    /// Chooses the port and reads the settings.
    ///
    /// - Parameters:
    ///   - port: The port; `nil` for the user's saved port or the default one on the network, 0 for any free port.
    ///   - network: The configuration for browsers on other computers; `nil` for loopback only.
    ///   - environment: The environment variables, which name the configuration folder and the proxies.
    /// - Throws: ``WebError``, `FileError`, `UnsafeFileError`.
    package init(port: Int? = nil, network: NetworkAccess? = nil, environment: [String: String]) async throws {
        let file = SettingsFile(environment: environment)
        if let network {
            let port = try await PortChoice.port(port ?? Self.networkPort, at: network.address, savedIn: file)
            origin = WebOrigin(securePort: port, hosts: network.hosts)
        } else {
            let port = try await PortChoice.port(port, at: WebOrigin.loopback, savedIn: file)
            origin = try WebOrigin(loopbackPort: port)
        }
        (self.network, self.environment) = (network, environment)
        folder = try PrivateFolder(prefix: "countersign-web-")
        keychain = WebKeychain(environment: environment)
        fetcher = try Fetcher(environment: environment, folder: folder, keychain: keychain)
        pages = try Pages()
    }

    /// Asks a running server to create a new file that opens the browser.
    ///
    /// - Parameters:
    ///   - port: The port of the command line; `nil` for the user's saved port.
    ///   - environment: The environment variables, which name the configuration folder.
    /// - Returns: The URL of the pages and the path of the file, or `nil` if no server runs at the port.
    package static func reopen(
        port: Int?, environment: [String: String]
    ) async -> (url: String, file: String)? {
        guard let port = port ?? (try? SettingsFile(environment: environment).read().port) else { return nil }
        return await RunningServer.reopen(port: port, environment: environment)
    }

    /// Serves until the task is cancelled; then it finishes pending responses, and ends.
    ///
    /// - Parameter onRunning: Receives the file that redirects the browser to the server; `nil` if the browser signs in
    ///   with a passphrase.
    /// - Throws: An error if the port cannot be bound.
    package func run(onRunning: @escaping @Sendable (LaunchFile?) async -> Void) async throws {
        let running = RunningServer(port: origin.port, key: BrowserAccess.randomText(), folder: folder.path)
        let launch = LaunchRoutes(
            access: access, origin: origin, folder: folder, running: running, pages: pages)
        let file = network == nil ? try launch.makeFile() : nil
        if network == nil { try running.write(environment) }
        defer { if network == nil { running.remove(environment) } }
        // Requests are not logged, because their paths and fields reveal the user's activity.
        let logger = Logger(label: "countersign-web") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router(launch), server: try server,
            configuration: ApplicationConfiguration(
                address: .hostname(network?.address ?? WebOrigin.loopback, port: origin.port)),
            onServerRunning: { channel in
                await ServedHTTP1.limitConnections(of: channel, to: Self.maximumConnectionCount)
                await onRunning(file)
            }, logger: logger)
        var configuration = ServiceGroupConfiguration(services: [application], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.maximumShutdownDuration
        let group = ServiceGroup(configuration: configuration)
        let serving = Task {
            // The error is thrown if responses took too long, and were aborted.
            do { try await group.run() } catch is CancellationError {}
        }
        let (fetcher, lab) = (fetcher, lab)
        defer { folder.remove() }
        try await withTaskCancellationHandler {
            try await serving.value
        } onCancel: {
            Task {
                await group.triggerGracefulShutdown()
                // Responses that follow a fetch or a graded client end with it.
                await fetcher.close()
                await lab.stop()
            }
        }
    }

    private var server: HTTPServerBuilder {
        get throws {
            // Browsers open six connections to a host; on loopback, the users of this computer cannot be distinguished.
            let count = ConnectionCount(limit: network == nil ? Self.maximumConnectionCount : 32)
            var timeouts = HTTPServerConnection.Timeouts()
            timeouts.idle = Self.idleTimeout
            let plain = ServedHTTP1.builder(timeouts) { [ConnectionLimit(count)] }
            return try network.map { try .tls(plain, tlsConfiguration: $0.configuration) } ?? plain
        }
    }

    private func router(_ launch: LaunchRoutes) -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.middlewares.add(SafetyFields())
        let errors = ErrorPages(pages: pages, fetcher: fetcher)
        router.middlewares.add(errors)
        router.middlewares.add(RequestGuard(origin: origin, access: access, hasPassphrase: network != nil))
        // Inside the guard the browser is known, so that these pages can warn that validation is disabled.
        router.middlewares.add(errors)
        EmbeddedFiles.ofPages.add(to: router)
        EmbeddedFiles.ofComposer.add(to: router)
        if let network {
            SignInRoutes(
                access: access, origin: origin, passphrase: network.passphrase, keychain: keychain, pages: pages
            ).add(to: router)
        } else {
            launch.add(to: router)
        }
        FetchRoutes(fetcher: fetcher, keychain: keychain, pages: pages).add(to: router)
        let gate = KeychainGate(fetcher: fetcher, keychain: keychain, pages: pages)
        gate.add(to: router)
        CredentialRoutes(gate: gate, pages: pages).add(to: router)
        CredentialEditRoutes(gate: gate, pages: pages).add(to: router)
        UnlockingRoutes(gate: gate, pages: pages).add(to: router)
        PendingImportRoutes(gate: gate, pages: pages).add(to: router)
        let presents = PresentRoutes(gate: gate, pages: pages)
        presents.add(to: router)
        UploadRoutes(gate: gate, folder: folder).add(to: router)
        SealedRoutes(gate: gate, pages: pages, folder: folder, presents: presents).add(to: router)
        LabRoutes(fetcher: fetcher, lab: lab, pages: pages, runsPrograms: network == nil).add(to: router)
        GradingRoutes(fetcher: fetcher, lab: lab, pages: pages, runsPrograms: network == nil).add(to: router)
        SettingsRoutes(fetcher: fetcher, keychain: keychain, pages: pages).add(to: router)
        return router
    }
}
