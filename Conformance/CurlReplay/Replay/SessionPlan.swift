// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign

/// What a session has to be like for an operation; operations of one plan share a session.
struct SessionPlan: Hashable, Sendable {
    var proxy: Proxy?
    var methods: [AuthenticationMethod]
    var redirectLimit: Int
    var netrc: NetrcFile?
    var connectTargets: [Endpoint: ConnectTarget] = [:]

    /// Long enough for a loaded machine.
    private static let timeout = Duration.seconds(20)

    func makeSession() -> Session {
        var configuration = Session.Configuration(proxy: proxy)
        configuration.methods = MethodPreference(order: methods)
        configuration.allowsNTLMOverPlainHTTP = true
        configuration.redirectLimit = redirectLimit
        // As curl does.
        configuration.allowsRedirectsToPlainHTTP = true
        // What curl does without --compressed.
        configuration.decodesContent = false
        configuration.idleTimeout = Self.timeout
        configuration.connectTimeout = Self.timeout
        configuration.connectTargets = connectTargets
        if let netrc {
            for method in methods {
                configuration.handlers[method] = NetrcHandler(netrc, ports: .every, allowsPlainHTTP: true)
            }
        }
        return Session(configuration)
    }
}
