// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import ChallengeLab
import CertificateTrust
import Countersign
import Secrets

/// The servers of the load.
struct LoadScene: Sendable {
    let lab: Lab
    let faults: [FaultServer]
    let errands: [Errand]

    static func start() async throws -> LoadScene {
        let lab = try await Lab.start()
        var (faults, errands) = ([FaultServer](), [Errand]())
        for (name, fault) in Fault.ofHTTP1 {
            let server = try await FaultServer.start(fault)
            faults.append(server)
            errands.append(
                Errand(
                    name: "fault \(name)", url: "http://localhost:\(server.port)/", outcome: .typed, isImpatient: true))
        }
        return LoadScene(lab: lab, faults: faults, errands: Errand.good(lab) + errands)
    }

    /// How many connections are open, as the servers see it.
    var openConnectionCount: Int { openConnections.map(\.count).reduce(0, +) }

    /// The servers that have connections open, by what they are for.
    var openConnections: [(name: String, count: Int)] {
        let good = LabServer.Kind.allCases.map { (name: $0.rawValue, count: lab.openConnectionCount($0)) }
        let bad = zip(Fault.ofHTTP1, faults).map { (name: "fault \($0.name)", count: $1.openConnectionCount) }
        return (good + bad).filter { $0.count > 0 }
    }

    /// Opens what the process opens once and keeps.
    func warmUp() async throws {
        let session = Session(configuration())
        for kind in [LabServer.Kind.plainHTTP, .goodHTTPS] {
            _ = try await session.get(lab[kind].url).body.collect(upTo: 1 << 20)
        }
        await session.close()
        // The first sleep opens a clock of the system's.
        try await Task.sleep(for: .milliseconds(1))
        _ = await Remains.eventually { openConnectionCount == 0 }
    }

    func sessions() throws -> LoadSessions {
        var impatient = configuration()
        impatient.idleTimeout = .milliseconds(300)
        return LoadSessions(
            patient: [Session(configuration()), Session(configuration())]
                + [
                    Session(configuration(proxy: try Proxy(lab[.proxyBasic].url))),
                    Session(configuration(proxy: try Proxy(lab[.proxyNTLM].url))),
                ], impatient: Session(impatient))
    }

    func configuration(proxy: Proxy? = nil) -> Session.Configuration {
        let password: any ChallengeHandler = .closure { challenge in
            let login = Lab.credentials
            return challenge.failureCount == 0
                ? .use(.password(user: login.user, password: Secret(login.password))) : .performDefault
        }
        let token: any ChallengeHandler = .bearer(host: "localhost", port: lab[.bearer].port) { _ in Secret(Lab.token) }
        let identity: any ChallengeHandler = .closure { _ in .use(.identity(lab.clientIdentity)) }
        var configuration = Session.Configuration(
            trust: TrustPolicy(anchors: .only([lab.authority])),
            handlers: [
                .basic: password, .digest: password, .scramSHA256: password, .ntlm: password, .bearer: token,
                .clientCertificate: identity,
            ], proxy: proxy)
        configuration.allowsNTLMOverPlainHTTP = true
        return configuration
    }

    func stop() async throws {
        for server in faults { await server.stop() }
        try await lab.stop()
    }
}

/// The sessions of the load, of which every task uses all.
struct LoadSessions: Sendable {
    let patient: [Session]
    /// The one that waits for little, because its servers make it wait for ever.
    let impatient: Session

    var all: [Session] { patient + [impatient] }

    func session(for errand: Errand, using random: inout some RandomNumberGenerator) -> Session {
        errand.isImpatient ? impatient : patient.randomElement(using: &random) ?? impatient
    }
}
