// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import Countersign

/// The services that the arguments of a command name in the place of URLs.
struct ServiceTargets: Sendable {
    /// In the order of the arguments; not empty.
    let names: [ServiceName]
    /// The host that the certificates must be for; `nil` takes the one that is found.
    let host: HostName?

    /// Reads the arguments.
    ///
    /// - Returns: `nil` where all are URLs.
    /// - Throws: ``ServiceError``; ``UsageError`` where some are URLs and some are services.
    init?(_ arguments: [String], host: HostName?) throws {
        names = try arguments.compactMap { try ServiceName($0) }
        self.host = host
        guard !names.isEmpty else {
            if host != nil { throw UsageError.useless("--service-host", without: "the name of a service") }
            return nil
        }
        // What is asked of a service's certificate is not what is asked of a URL's.
        if names.count < arguments.count { throw UsageError.contradiction("URLs", "names of services") }
    }

    /// Refuses to look for a server without anything that tells the right one from another, and to give it a credential.
    ///
    /// - Returns: The options of trust that apply: the anchors that are given count alone, because anyone can have a certificate of the system's.
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

    /// Looks all of them up.
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
    /// Leads a session to the services, directly, and checks that a policy file says which certificate is right.
    ///
    /// - Throws: ``ServiceError``.
    func apply(to configuration: inout Session.Configuration, _ options: any TransferOptions) throws(ServiceError) {
        for service in self where configuration.connectTargets[service.endpoint] == nil {
            configuration.connectTargets[service.endpoint] = .endpoint(service.destination)
        }
        // The environment's proxies know nothing of this network's names.
        if !isEmpty, options.route.proxy == nil { configuration.proxies = .none }
        guard options.request.serviceHost == nil else { return }
        for service in self where service.name.isSecure {
            let trust = configuration.policies.policy(for: service.endpoint.host).trust
            guard trust.isBound else { throw .trustNeeded(service.name.text) }
        }
    }
}

extension TrustPolicy {
    /// Whether it tells a server apart from all others that the system trusts.
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
    /// The first option that gives a credential, as it is written; `nil` where none does.
    fileprivate var firstCredential: String? {
        if let option = credentials.firstGiven { return option }
        if credentials.netrc { return "--netrc" }
        if credentials.netrcFile != nil { return "--netrc-file" }
        if trust.keychain.isAsked { return "--keychain" }
        if trust.keychain.keychainFile != nil { return "--keychain-file" }
        #if Negotiate
            if credentials.negotiate { return "--negotiate" }
        #endif
        return request.header.contains(where: \.holdsCredential) ? "-H" : nil
    }
}
