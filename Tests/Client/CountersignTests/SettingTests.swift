// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if ConfigurationSupport
    import CertificateTrust
    import ChallengeLab
    import Challenges
    import Configuration
    import Countersign
    import ErrorExplanations
    import Foundation
    import NIOConcurrencyHelpers
    import Testing

    /// Records the keys whose values were read as secrets.
    private final class Accesses: AccessReporter {
        private let keys = NIOLockedValueBox<[String]>([])

        var secrets: [String] { keys.withLockedValue { $0 } }

        func report(_ event: AccessEvent) {
            guard case .success(let value?) = event.result, value.isSecret else { return }
            keys.withLockedValue { $0.append(event.metadata.key.description) }
        }
    }

    @Suite struct SettingTests {
        private static let url = "http://user:hunter2@proxy.test:3128"

        private func read(_ values: [AbsoluteConfigKey: ConfigValue]) async throws -> HTTPSession.Configuration {
            try await HTTPSession.Configuration(reading: ConfigReader(provider: InMemoryProvider(values: values)))
        }

        @Test("Each key sets its property") func keys() async throws {
            let configuration = try await read([
                "timeout.connect": 5, "timeout.total": 1.5, "connections.perRoute": 4, "connections.keepAlive": 0.25,
                "redirects.limit": 0, "redirects.allowPlainHTTP": true, "retries.attempts": 3,
                "retries.firstDelay": 0.5, "http.versions": "1.1", "tls.versions": "1.3",
                "tls.library": "automatic", "tls.allowsLegacy": true, "tls.openSSLConfiguration": true,
                "trust.revocation": "hardFail", "proxy.url": text(Self.url),
                "proxy.exceptions": "localhost", "login.host": "a.test", "login.user": "mary", "login.password": "x",
                "cookies": true,
            ])
            #expect(configuration.connectTimeout == .seconds(5))
            #expect(configuration.totalTimeout == .milliseconds(1_500))
            #expect(configuration.connectionLimits.perRoute == 4)
            #expect(configuration.connectionLimits.keepAliveTimeout == .milliseconds(250))
            #expect(configuration.redirectLimit == 0)
            #expect(configuration.allowsRedirectsToPlainHTTP)
            #expect(configuration.retries.attempts == 3)
            #expect(configuration.retries.firstDelay == .milliseconds(500))
            #expect(configuration.httpVersions == .onlyHTTP1)
            #expect(configuration.tlsVersions == .onlyTLS13)
            #expect(configuration.policies.fallback.tlsLibrary == .automatic)
            #expect(configuration.policies.fallback.allowsLegacyTLS)
            #expect(configuration.policies.fallback.usesOpenSSLConfiguration)
            #expect(configuration.trust.revocation == .hardFail)
            let proxies = try Proxies.every(Proxy(Self.url), except: "localhost")
            #expect(configuration.proxies == proxies)
            #expect(configuration.handlers[.basic] != nil)
            #expect(configuration.handlers[.bearer] == nil)
            #expect(configuration.cookies != nil)
            // Keys without a value keep the defaults.
            #expect(configuration.idleTimeout == HTTPSession.Configuration().idleTimeout)
        }

        @Test("Environment variables are read with the scope of the reader") func environment() async throws {
            let provider = EnvironmentVariablesProvider(environmentVariables: [
                "SHOP_TIMEOUT_TOTAL": "2.5", "SHOP_TIMEOUT_CONNECT": "7", "SHOP_CONNECTIONS_PER_ROUTE": "8",
            ])
            let configuration = try await HTTPSession.Configuration(
                reading: ConfigReader(provider: provider).scoped(to: "shop"))
            #expect(configuration.totalTimeout == .milliseconds(2_500))
            #expect(configuration.connectTimeout == .seconds(7))
            #expect(configuration.connectionLimits.perRoute == 8)
        }

        @Test("Files of anchors and identities are read") func files() async throws {
            let lab = try await Lab.start([])
            try await withFolder { folder async throws in
                try lab.save(to: URL(filePath: folder))
                let configuration = try await read([
                    "trust.anchors": text(folder + "/ca.pem"),
                    "clientCertificate.host": "a.test",
                    "clientCertificate.file": text(folder + "/client.pem"),
                ])
                #expect(configuration.trust.anchors == .only([lab.authority]))
                #expect(configuration.handlers[.clientCertificate] != nil)
            }
            try await lab.stop()
        }

        private func text(_ text: String) -> ConfigValue { ConfigValue(.string(text), isSecret: false) }

        @Test(
            "A value that cannot be used is an error that names its key",
            arguments: [
                (["timeout.total": "soon"], "setting.malformed", "timeout.total"),
                (["timeout.total": 0], "setting.malformed", "timeout.total"),
                (["timeout.idle": -1.5], "setting.malformed", "timeout.idle"),
                (["connections.total": 0], "setting.malformed", "connections.total"),
                (["connections.perRoute": "many"], "setting.malformed", "connections.perRoute"),
                (["cookies": "perhaps"], "setting.malformed", "cookies"),
                (["http.versions": "3"], "setting.malformed", "http.versions"),
                (["trust.revocation": "never"], "setting.malformed", "trust.revocation"),
                (["trust.anchors": "/missing/anchors.pem"], "setting.unusable", "trust.anchors"),
                (["trust.systemAnchors": false], "setting.missing", "trust.anchors"),
                (["proxy.exceptions": "a.test"], "setting.missing", "proxy.url"),
                (["proxy.url": "ftp://a.test:1"], "setting.unusable", "proxy.url"),
                (["login.user": "mary"], "setting.missing", "login.host"),
                (["login.user": "mary", "login.host": "a.test"], "setting.missing", "login.password"),
                // Each key that has no effect without another one requires it.
                (["login.password": "x"], "setting.missing", "login.user"),
                (["login.host": "a.test"], "setting.missing", "login.user"),
                (["login.port": 8443], "setting.missing", "login.user"),
                (["clientCertificate.host": "a.test"], "setting.missing", "clientCertificate.file"),
                (["clientCertificate.passphrase": "x"], "setting.missing", "clientCertificate.file"),
                // A host that no server can have.
                (["login.user": "mary", "login.host": "a.test:8443"], "setting.malformed", "login.host"),
                (["login.user": "mary", "login.host": "https://a.test"], "setting.malformed", "login.host"),
                (["login.user": "mary", "login.host": ""], "setting.malformed", "login.host"),
                (["login.user": "mary", "login.port": 0], "setting.malformed", "login.port"),
                (["login.user": "mary", "login.port": 65_536], "setting.malformed", "login.port"),
                (
                    ["clientCertificate.file": "/missing.p12", "clientCertificate.host": "a.test:8443"],
                    "setting.malformed", "clientCertificate.host"
                ),
            ] as [([AbsoluteConfigKey: ConfigValue], String, String)])
        func errors(values: [AbsoluteConfigKey: ConfigValue], code: String, key: String) async throws {
            let error = await #expect(throws: SettingError.self) { try await read(values) }
            #expect(error?.code == code)
            #expect(error?.explanation.message.contains("\"\(key)\"") == true)
        }

        @Test(
            "A login answers its host at the given port, or at the scheme's default",
            arguments: [(nil, 443, true), (nil, 8443, false), (8443, 8443, true), (8443, 443, false)]
                as [(
                    Int?, Int, Bool
                )])
        func loginPort(setting: Int?, port: Int, isAnswered: Bool) async throws {
            var values: [AbsoluteConfigKey: ConfigValue] = [
                "login.user": "mary", "login.password": "x", "login.host": "A.test",
            ]
            values["login.port"] = setting.map { ConfigValue(.int($0), isSecret: false) }
            let handler = try #require(try await read(values).handlers[.basic])
            let space = ProtectionSpace(
                host: try HostName("a.test"), port: port, scheme: "https", realm: nil, method: .basic)
            let statement = try #require(try HTTPChallenge.parse(["Basic realm=r"]).first)
            let disposition = try await handler.answer(Challenge(space: space, statement: .http(statement)))
            if case .use = disposition { #expect(isAnswered) } else { #expect(!isAnswered) }
        }

        @Test("Neither an error nor the report of accesses shows a secret") func secrets() async throws {
            let accesses = Accesses()
            let provider = InMemoryProvider(values: [
                "login.user": "mary", "login.host": "a.test", "login.password": "hunter2",
                "proxy.url": "http://user:hunter2@proxy.test:1", "clientCertificate.file": "/missing/client.p12",
                "clientCertificate.host": "a.test", "clientCertificate.passphrase": "hunter2",
            ])
            let config = ConfigReader(provider: provider, accessReporter: accesses)
            let error = await #expect(throws: SettingError.self) {
                try await HTTPSession.Configuration(reading: config)
            }
            #expect(error?.code == "setting.unusable")
            #expect(!String(describing: error).contains("hunter2"))
            #expect(accesses.secrets == ["proxy.url", "clientCertificate.passphrase"])
        }
    }
#endif
