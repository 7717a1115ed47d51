// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if ConfigurationSupport
    import CertificateTrust
    import Challenges
    public import Configuration
    import ErrorExplanations
    import EssentialFoundation
    import HTTPTransport
    import Identities
    import Secrets

    extension HTTPSession.Configuration {
        /// Reads settings from a configuration of swift-configuration, with the trait `ConfigurationSupport`.
        ///
        /// A key without a value leaves its default. Times are numbers of seconds, which may have a fraction.
        ///
        /// - `timeout.connect`, `timeout.handshake`, `timeout.response`, `timeout.idle`, `timeout.total`,
        ///   `timeout.attempt`, `timeout.pool`, `timeout.continue`, `timeout.evidence`, `timeout.shutdown`: seconds.
        /// - `connections.perRoute`, `connections.total`: whole numbers of at least 1; `connections.keepAlive`: seconds.
        /// - `redirects.limit`: a whole number of at least 0; `redirects.allowPlainHTTP`: `true` or `false`.
        /// - `retries.attempts`: a whole number of at least 0; `retries.firstDelay`, `retries.maximumDelay`,
        ///   `retries.totalTime`: seconds.
        /// - `http.versions`: `all`, `1.1` or `2`; `tls.versions`: `all`, `1.2` or `1.3`.
        /// - `tls.library`: `boringssl`, `openssl` or `automatic`; `tls.allowsLegacy`, `tls.openSSLConfiguration`: `true`
        ///   or `false`.
        /// - `trust.anchors`: the path of a file of anchors, which replace the system's unless `trust.systemAnchors` is
        ///   `true`; `trust.revocation`: `whereDemanded`, `softFail` or `hardFail`.
        /// - `proxy.url`: a URL as for ``Proxy/init(_:)-(String)``, secret because it may contain a password;
        ///   `proxy.exceptions`: the hosts that are reached directly, as in `no_proxy`.
        /// - `clientCertificate.file`: the path of an identity; `clientCertificate.host`: the host that may receive its
        ///   certificate; `clientCertificate.passphrase`: secret.
        /// - `login.user`, `login.password` (secret), `login.host`: the answer to the password challenges of one host;
        ///   `login.port`: its port, if it is not the scheme's default.
        /// - `cookies`: `true` to store and send cookies.
        ///
        /// A host is a name or an address, without a scheme and a port. The files are read at once. Settings that only
        /// code can make, such as handlers, are added to the result.
        ///
        /// - Parameter config: The reader, whose scope contains the keys above.
        /// - Throws: ``SettingError``, which names the key; `CancellationError` if the task is cancelled.
        public init(reading config: ConfigReader) async throws {
            self.init()
            let settings = SettingReader(config: config)
            try await readTimeouts(settings)
            try await readLimits(settings)
            try await readVersions(settings)
            try await readTrust(settings)
            try await readProxy(settings)
            try await readClientCertificate(settings)
            try await readLogin(settings)
            if try await settings.flag("cookies") == true { cookies = CookieJar() }
        }

        private mutating func readTimeouts(_ settings: SettingReader) async throws {
            let timeouts: [(String, WritableKeyPath<Self, Duration>)] = [
                ("connect", \.connectTimeout), ("handshake", \.handshakeTimeout), ("idle", \.idleTimeout),
                ("pool", \.poolTimeout), ("continue", \.continueTimeout), ("evidence", \.evidenceTimeout),
                ("shutdown", \.shutdownTimeout),
            ]
            for (key, timeout) in timeouts {
                if let time = try await settings.seconds("timeout.\(key)") { self[keyPath: timeout] = time }
            }
            let optionalTimeouts: [(String, WritableKeyPath<Self, Duration?>)] = [
                ("response", \.responseTimeout), ("total", \.totalTimeout), ("attempt", \.attemptTimeout),
            ]
            for (key, timeout) in optionalTimeouts {
                if let time = try await settings.seconds("timeout.\(key)") { self[keyPath: timeout] = time }
            }
        }

        private mutating func readLimits(_ settings: SettingReader) async throws {
            if let count = try await settings.count("connections.perRoute", minimum: 1) {
                connectionLimits.perRoute = count
            }
            if let count = try await settings.count("connections.total", minimum: 1) { connectionLimits.total = count }
            if let time = try await settings.seconds("connections.keepAlive") {
                connectionLimits.keepAliveTimeout = time
            }
            if let limit = try await settings.count("redirects.limit", minimum: 0) { redirectLimit = limit }
            if let allows = try await settings.flag("redirects.allowPlainHTTP") { allowsRedirectsToPlainHTTP = allows }
            if let attempts = try await settings.count("retries.attempts", minimum: 0) { retries.attempts = attempts }
            if let delay = try await settings.seconds("retries.firstDelay") { retries.firstDelay = delay }
            if let delay = try await settings.seconds("retries.maximumDelay") { retries.maximumDelay = delay }
            if let time = try await settings.seconds("retries.totalTime") { retries.totalTime = time }
        }

        private mutating func readVersions(_ settings: SettingReader) async throws {
            let http: [(String, HTTPVersions)] = [("all", .all), ("1.1", .onlyHTTP1), ("2", .onlyHTTP2)]
            if let versions = try await settings.choice("http.versions", of: http) { httpVersions = versions }
            let tls: [(String, TLSVersions)] = [("all", .all), ("1.2", .onlyTLS12), ("1.3", .onlyTLS13)]
            if let versions = try await settings.choice("tls.versions", of: tls) { tlsVersions = versions }
            let libraries = ServerPolicy.TLSLibrary.allCases.map { ($0.rawValue, $0) }
            if let library = try await settings.choice("tls.library", of: libraries) {
                policies.fallback.tlsLibrary = library
            }
            if let allows = try await settings.flag("tls.allowsLegacy") { policies.fallback.allowsLegacyTLS = allows }
            if let uses = try await settings.flag("tls.openSSLConfiguration") {
                policies.fallback.usesOpenSSLConfiguration = uses
            }
        }

        private mutating func readTrust(_ settings: SettingReader) async throws {
            let addsToSystem = try await settings.flag("trust.systemAnchors")
            if let path = try await settings.text("trust.anchors") {
                let file = URL(filePath: path)
                trust.anchors = try settings.use("trust.anchors") {
                    try addsToSystem == true ? .systemAnd(contentsOf: file) : .only(contentsOf: file)
                }
            } else if addsToSystem == false {
                throw SettingError.missing(key: "trust.anchors", requiredBy: "trust.systemAnchors")
            }
            let modes = [TrustPolicy.Revocation.whereDemanded, .softFail, .hardFail].map { ($0.rawValue, $0) }
            if let mode = try await settings.choice("trust.revocation", of: modes) { trust.revocation = mode }
        }

        private mutating func readProxy(_ settings: SettingReader) async throws {
            let exceptions = try await settings.text("proxy.exceptions")
            guard let url = try await settings.text("proxy.url", isSecret: true) else {
                if exceptions != nil { throw SettingError.missing(key: "proxy.url", requiredBy: "proxy.exceptions") }
                return
            }
            let proxy = try settings.use("proxy.url") { try Proxy(url) }
            proxies = try settings.use("proxy.exceptions") { try .every(proxy, except: exceptions ?? "") }
        }

        private mutating func readClientCertificate(_ settings: SettingReader) async throws {
            let (file, host) = ("clientCertificate.file", "clientCertificate.host")
            guard let path = try await settings.text(file) else {
                return try await settings.refuse([host, "clientCertificate.passphrase"], without: file)
            }
            let name = try await settings.host(host, requiredBy: file)
            let passphrase = try await settings.text("clientCertificate.passphrase", isSecret: true)
            let identity = try settings.use(file) {
                try Identity(contentsOf: URL(filePath: path), passphrase: passphrase.map { Secret($0) })
            }
            handlers.append(.identity(identity, host: name), for: .clientCertificate)
        }

        private mutating func readLogin(_ settings: SettingReader) async throws {
            let port = try await settings.number("login.port", in: 1...65_535, .port)
            guard let user = try await settings.text("login.user") else {
                if port != nil { throw SettingError.missing(key: "login.user", requiredBy: "login.port") }
                return try await settings.refuse(["login.host", "login.password"], without: "login.user")
            }
            let host = try await settings.host("login.host", requiredBy: "login.user")
            let password = try await settings.required("login.password", by: "login.user", isSecret: true)
            let handler: PasswordHandler = .password(user: user, password: Secret(password), host: host, port: port)
            for method in MethodPreference().order {
                guard case .password = method.traits.carries else { continue }
                handlers.append(handler, for: method)
            }
        }
    }

    /// Reads the values of keys, and names the key in each error.
    private struct SettingReader {
        let config: ConfigReader

        func text(_ key: String, isSecret: Bool = false) async throws -> String? {
            try await value(key, .text) { try await config.fetchString(forKey: $0, isSecret: isSecret) }
        }

        func required(_ key: String, by other: String, isSecret: Bool = false) async throws -> String {
            guard let text = try await text(key, isSecret: isSecret) else {
                throw SettingError.missing(key: key, requiredBy: other)
            }
            return text
        }

        func host(_ key: String, requiredBy other: String) async throws -> String {
            let text = try await required(key, by: other)
            guard (try? HostName(text)) != nil else { throw SettingError.malformed(key: key, .host) }
            return text
        }

        /// Throws an error if one of the keys has a value, which has an effect only together with another key.
        func refuse(_ keys: [String], without other: String) async throws {
            for key in keys where try await text(key, isSecret: true) != nil {
                throw SettingError.missing(key: other, requiredBy: key)
            }
        }

        func flag(_ key: String) async throws -> Bool? {
            try await value(key, .boolean) { try await config.fetchBool(forKey: $0) }
        }

        func count(_ key: String, minimum: Int) async throws -> Int? {
            try await number(key, in: minimum...(.max), .count(minimum: minimum))
        }

        func number(_ key: String, in range: ClosedRange<Int>, _ form: SettingError.Form) async throws -> Int? {
            guard let number = try await value(key, form, { try await config.fetchInt(forKey: $0) }) else { return nil }
            guard range.contains(number) else { throw SettingError.malformed(key: key, form) }
            return number
        }

        func seconds(_ key: String) async throws -> Duration? {
            let seconds = try await value(key, .seconds) { key in
                // A provider of typed values converts no whole number to one with a fraction.
                if let whole = try? await config.fetchInt(forKey: key) { return Double(whole) as Double? }
                return try await config.fetchDouble(forKey: key)
            }
            guard let seconds else { return nil }
            guard seconds > 0, seconds <= 1e9 else { throw SettingError.malformed(key: key, .seconds) }
            return .seconds(seconds)
        }

        func choice<Choice>(_ key: String, of choices: [(String, Choice)]) async throws -> Choice? {
            guard let text = try await text(key) else { return nil }
            guard let (_, choice) = choices.first(where: { $0.0 == text }) else {
                throw SettingError.malformed(key: key, .oneOf(choices.map(\.0)))
            }
            return choice
        }

        /// Performs work with the value of a key, and throws its error under the name of the key.
        func use<Value>(_ key: String, _ work: () throws -> Value) throws -> Value {
            do {
                return try work()
            } catch let error as any ExplainedError {
                throw SettingError.unusable(key: key, error)
            }
        }

        private func value<Value>(
            _ key: String, _ form: SettingError.Form, _ fetch: (ConfigKey) async throws -> Value?
        ) async throws -> Value? {
            do {
                return try await fetch(ConfigKey(key))
            } catch let error as CancellationError {
                throw error
            } catch {
                throw SettingError.malformed(key: key, form)
            }
        }
    }
#endif
