// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import Countersign

/// The services that a command's arguments name instead of URLs.
struct ServiceTargets: Sendable {
    /// The names, in the order of the arguments; not empty.
    let names: [ServiceName]
    /// The host for which the certificates must be valid; `nil` uses the discovered host.
    let host: HostName?

    /// Parses the arguments.
    ///
    /// - Returns: The services, or `nil` if all arguments are URLs.
    /// - Throws: ``ServiceError``; ``UsageError`` if some are URLs and some are services.
    init?(_ arguments: [String], host: HostName?) throws {
        names = try arguments.compactMap { try ServiceName($0) }
        self.host = host
        guard !names.isEmpty else {
            if host != nil { throw UsageError.useless("--service-host", without: "the name of a service") }
            return nil
        }
        // The certificate requirements for a service differ from those for a URL.
        if names.count < arguments.count { throw UsageError.contradiction("URLs", "names of services") }
    }

    /// Refuses a service without an option that identifies its certificate, and a credential for a service without TLS.
    ///
    /// - Returns: The trust options to apply: by default, anchors on the command line replace those of the system,
    ///   because anyone can get a certificate from a system authority.
    /// - Throws: ``ServiceError``, ``UsageError``.
    func trust(_ options: any TransferOptions) throws -> TrustOptions {
        if options.route.unixSocket != nil { throw UsageError.contradiction("--unix-socket", "the name of a service") }
        if let open = names.first(where: { !$0.isSecure }), let option = options.firstCredential {
            throw ServiceError.credentialWithoutTLS(open.text, option: option)
        }
        var trust = options.trust
        guard let secure = names.first(where: \.isSecure), host == nil, trust.policy == nil else { return trust }
        switch trust.trust {
        case .disabled: break
        case .firstUse: throw ServiceError.trustNeeded(secure.text)
        case nil where !trust.anchor.isEmpty && trust.pin.isEmpty: trust.trust = .anchorsOnly
        case nil, .default, .imported: if trust.pin.isEmpty { throw ServiceError.trustNeeded(secure.text) }
        case .anchorsOnly: break
        }
        return trust
    }

    /// Resolves all services.
    ///
    /// - Throws: ``ServiceError``, `FileError`, `CancellationError`.
    func find(with program: String) async throws -> [FoundService] {
        var found: [FoundService] = []
        for name in names {
            let answers = try await ServiceLookup(program: program).answers(for: name)
            found.append(try FoundService(answers, name: name, host: host))
        }
        return found
    }
}

extension [FoundService] {
    /// Directs a session to the services, and checks that a policy file identifies their certificates.
    ///
    /// - Throws: ``ServiceError``.
    func apply(to configuration: inout HTTPSession.Configuration, _ options: any TransferOptions) throws(ServiceError) {
        for service in self where configuration.connectTargets[service.endpoint] == nil {
            configuration.connectTargets[service.endpoint] = .endpoint(service.destination)
        }
        // The environment's proxies cannot resolve names of this network.
        if !isEmpty, options.route.proxy == nil { configuration.proxies = .none }
        guard options.request.serviceHost == nil else { return }
        for service in self where service.name.isSecure {
            let trust = configuration.policies.policy(for: service.endpoint.host).trust
            guard trust.isBound else { throw .trustNeeded(service.name.text) }
        }
    }
}

extension TrustPolicy {
    /// Whether the policy distinguishes a server from all others that the system trusts.
    fileprivate var isBound: Bool {
        switch (validation, anchors) {
        case (.dangerouslyDisabled, _): true
        case (.firstUse, _): false
        case (.full, .only): true
        case (.full, .system), (.full, .systemAnd): !pins.isEmpty
        }
    }
}

extension TransferOptions {
    /// The name of the first given option that supplies a credential; `nil` if there is none.
    fileprivate var firstCredential: String? {
        if let option = credentials.firstCredentialOption { return option }
        if credentials.netrc { return "--netrc" }
        if credentials.netrcFile != nil { return "--netrc-file" }
        if trust.keychain.usesKeychain { return "--keychain" }
        if trust.keychain.keychainFile != nil { return "--keychain-file" }
        #if Negotiate
            if credentials.negotiate { return "--negotiate" }
        #endif
        return request.header.contains(where: \.holdsCredential) ? "-H" : nil
    }
}
