// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import ChallengeLab
import Challenges
import CommandSupport
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Secrets
import X509

/// A tour, in which a client requests the resource of each server of a lab, and its behaviour is compared to the
/// expected one.
package struct Tour: Sendable {
    /// The client that a tour runs against the servers.
    package enum Client: Sendable {
        /// A session of this program, configured for each server.
        case session
        /// Another client, which runs once for each server, with a timeout.
        case program(ClientTemplate, limit: Duration)
    }

    private let client: Client

    package init(_ client: Client) { self.client = client }

    /// Visits the stops in order.
    ///
    /// - Parameters:
    ///   - stops: The resources to request.
    ///   - lab: The lab with their servers.
    ///   - onRow: Gets each row as soon as it is complete.
    /// - Throws: `FileError` if the other client cannot be started, and `CancellationError`.
    package func visit(
        _ stops: [TourStop], of lab: Lab, onRow: (TourRow) async -> Void
    ) async throws {
        switch client {
        case .session:
            for stop in stops {
                let row = await stop.visit(lab)
                // The result of a cancelled run says nothing about the client.
                try Task.checkCancellation()
                await onRow(row)
            }
        case .program(let template, let limit):
            let folder = try PrivateFolder(prefix: "countersign-lab-")
            defer { folder.remove() }
            try lab.save(to: URL(filePath: folder.path, directoryHint: .isDirectory))
            let tour = ClientTour(template: template, lab: lab, folder: folder.path, limit: limit)
            for stop in stops { await onRow(try await tour.visit(stop)) }
        }
    }
}

/// A resource to request, with its server.
package struct TourStop: Sendable {
    package let server: LabServer
    /// The URL to request; for a proxy, that of another server.
    let url: String
    let proxy: String?

    package static func all(of lab: Lab) -> [TourStop] {
        lab.servers.flatMap { server in
            guard server.kind.isProxy else { return [TourStop(server: server, url: server.url, proxy: nil)] }
            return [LabServer.Kind.plainHTTP, .goodHTTPS].map { origin in
                TourStop(server: server, url: lab[origin].url, proxy: server.url)
            }
        }
    }

    /// Requests the resource in a new session, with the settings and credentials that the server needs.
    func visit(_ lab: Lab) async -> TourRow {
        let events = NIOLockedValueBox<[SessionEvent]>([])
        let clock = ContinuousClock()
        let start = clock.now
        var body: [UInt8] = []
        let outcome: Outcome
        do {
            let session = HTTPSession(try configuration(lab) { event in events.withLockedValue { $0.append(event) } })
            do {
                let fields: HTTPFields = server.needs.contains(.range) ? [.range: "bytes=\(Lab.range)"] : [:]
                let response = try await session.send(SessionRequest(url: url, headerFields: fields))
                for try await part in response.body { body += part.readableBytesView }
                outcome = .response(response.status.code, body)
                await session.close()
            } catch {
                await session.close()
                throw error
            }
        } catch {
            outcome = .failure(error)
        }
        return TourRow(
            stop: self, events: events.withLockedValue { $0 }, outcome: outcome, bytes: body.count,
            elapsed: clock.now - start)
    }

    enum Outcome {
        /// A response with its status and body.
        case response(Int, [UInt8])
        case failure(any Error)
    }

    private func configuration(
        _ lab: Lab, observer: @escaping @Sendable (SessionEvent) -> Void
    ) throws -> HTTPSession.Configuration {
        let accepts = server.expectation == .deliveredOnceAccepted
        let password: any ChallengeHandler = .closure { challenge in
            let login = Lab.credentials
            return challenge.failureCount == 0
                ? .use(.password(user: login.user, password: Secret(login.password))) : .performDefault
        }
        // The first token has expired, so that the tour tests the refresh with the second one.
        let token: any ChallengeHandler = .bearer(host: "localhost", port: server.port) { demand in
            Secret(demand.invalidToken == nil ? "expired" : Lab.token)
        }
        let trust: any ChallengeHandler = .closure { challenge in
            guard accepts, case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
            return .use(.serverTrust(chain))
        }
        let identity: any ChallengeHandler = .closure { _ in .use(.identity(lab.clientIdentity)) }
        var handlers = ChallengeHandlers(password: password, token: token)
        handlers[.serverTrust] = trust
        handlers[.clientCertificate] = identity
        var configuration = HTTPSession.Configuration(
            trust: try trustPolicy(lab), handlers: handlers,
            proxy: try proxy.map { try Proxy($0) })
        configuration.allowsNTLMOverPlainHTTP = server.kind == .proxyNTLM
        configuration.observer = observer
        // The tour tests decisions, not speed, so the timeouts allow for a busy machine.
        configuration.handshakeTimeout = .seconds(120)
        configuration.evidenceTimeout = .seconds(120)
        // Not every resolver knows names below localhost (RFC 6761 section 6.3).
        if server.host.hasSuffix(".localhost") {
            configuration.connectTargets = [
                HostEndpoint(host: try HostName(server.host), port: server.port): .endpoint(
                    HostEndpoint(host: try HostName("127.0.0.1"), port: server.port))
            ]
        }
        if server.needs.contains(.cookies) { configuration.cookies = CookieJar() }
        return configuration
    }

    private func trustPolicy(_ lab: Lab) throws -> TrustPolicy {
        var policy = TrustPolicy(anchors: .only([lab.authority]))
        if server.needs.contains(.pin) { policy.pins = [try Pin("sha256/" + lab.pin)] }
        if !server.needs.isDisjoint(with: [.revocationLists, .responders]) { policy.revocation = .hardFail }
        if server.needs.contains(.missingIssuers) { policy.missingIssuers = .fetched }
        if server.needs.contains(.logList) {
            policy.transparency = CertificateTransparency(logs: try TransparencyLogList(json: lab.logList))
        }
        return policy
    }
}
