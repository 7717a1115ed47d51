// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import ChallengeLab
import Challenges
import Countersign
import EssentialFoundation
import Secrets
import X509

/// The servers for the load.
struct LoadScene: Sendable {
    let lab: Lab
    /// The authority of the HTTP/2 servers' certificates.
    let authority: Certificate
    let origins: [HTTP2Origin]
    let faults: [(name: String, server: FaultServer)]
    let scenarios: [Scenario]
    let stalls: StallLog

    static func start() async throws -> LoadScene {
        let lab = try await Lab.start()
        let authority = try CertificateAuthority(name: "Load Root", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let good = try await HTTP2Origin.start(presenting: identity)
        let faulty = try await HTTP2Origin.start(presenting: identity)
        var (faults, scenarios) = ([(name: String, server: FaultServer)](), [Scenario]())
        func add(_ name: String, _ scheme: String, _ server: FaultServer) {
            faults.append((name, server))
            let url = "\(scheme)://localhost:\(server.port)/"
            scenarios.append(Scenario(name: name, url: url, outcome: .typed, usesShortTimeouts: true))
        }
        for (name, fault) in Fault.ofHTTP1 {
            add("fault \(name)", "http", try await FaultServer.start(fault))
        }
        for (name, fault) in Fault.ofHTTP2 {
            add("fault of HTTP/2 \(name)", "https", try await FaultServer.start(fault, presenting: identity))
        }
        return LoadScene(
            lab: lab, authority: authority.certificate, origins: [good, faulty], faults: faults,
            scenarios: Scenario.good(lab) + Scenario.of(good, faulty) + scenarios, stalls: StallLog(lab: lab))
    }

    /// The number of open connections at the servers.
    var openConnectionCount: Int { openConnections.map(\.count).reduce(0, +) }

    /// The number of open connections at each server, with the server's name.
    var openConnections: [(name: String, count: Int)] {
        let good = LabServer.Kind.allCases.map { (name: $0.rawValue, count: lab.openConnectionCount($0)) }
        let bad = faults.map { (name: $0.name, count: $0.server.openConnectionCount) }
        let shared = origins.map { (name: "HTTP/2", count: $0.openConnectionCount) }
        return (good + shared + bad).filter { $0.count > 0 }
    }

    /// Opens the descriptors that the process opens once and keeps.
    func warmUp() async throws {
        let session = HTTPSession(configuration())
        for url in [lab[.plainHTTP].url, lab[.goodHTTPS].url] + origins.map(\.url) {
            _ = try await session.get(url).body.collect(upTo: 1 << 20)
        }
        await session.close()
        // The first sleep opens a system timer.
        try await Task.sleep(for: .milliseconds(1))
        _ = await RemainingResources.eventually { openConnectionCount == 0 }
    }

    func sessions() throws -> LoadSessions {
        var shortTimeouts = configuration()
        shortTimeouts.idleTimeout = .milliseconds(300)
        shortTimeouts.poolTimeout = .milliseconds(300)
        var otherLibrary = configuration()
        otherLibrary.policies.fallback.tlsLibrary = TLSLibrary.openSSL.isAvailable ? .openSSL : .boringSSL
        let direct = [configuration(), configuration(), otherLibrary]
        let proxied = try [lab[.proxyBasic], lab[.proxyNTLM]].map { try configuration(proxy: Proxy($0.url)) }
        return LoadSessions(
            patient: (direct + proxied).map { HTTPSession($0) }, shortTimeouts: HTTPSession(shortTimeouts))
    }

    func configuration(proxy: Proxy? = nil) -> HTTPSession.Configuration {
        let password: any ChallengeHandler = .closure { challenge in
            let login = Lab.credentials
            return challenge.failureCount == 0
                ? .use(.password(user: login.user, password: Secret(login.password))) : .performDefault
        }
        let token: any ChallengeHandler = .bearer(host: "localhost", port: lab[.bearer].port) { _ in Secret(Lab.token) }
        let identity: any ChallengeHandler = .closure { _ in .use(.identity(lab.clientIdentity)) }
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: .only([lab.authority, authority])),
            handlers: [
                .basic: password, .digest: password, .scramSHA256: password, .ntlm: password, .bearer: token,
                .clientCertificate: identity,
            ], proxy: proxy)
        configuration.allowsNTLMOverPlainHTTP = true
        configuration.observer = { [stalls] in stalls.note($0) }
        return configuration
    }

    func stop() async throws {
        for fault in faults { await fault.server.stop() }
        for origin in origins { await origin.stop() }
        try await lab.stop()
    }
}

/// The sessions for the load, which all tasks share.
struct LoadSessions: Sendable {
    let patient: [HTTPSession]
    /// A session with short timeouts, for servers that never respond.
    let shortTimeouts: HTTPSession

    var all: [HTTPSession] { patient + [shortTimeouts] }

    func session(for scenario: Scenario, using random: inout some RandomNumberGenerator) -> HTTPSession {
        scenario.usesShortTimeouts ? shortTimeouts : patient.randomElement(using: &random) ?? shortTimeouts
    }
}
