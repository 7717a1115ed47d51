// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
package import Secrets

/// The credential that a request, a session's configuration or a proxy provides for its challenges.
struct OwnCredential: Sendable {
    let credential: Credential
    /// The method by which the credential is sent preemptively; `nil` if it waits for a challenge.
    let preemptiveMethod: AuthenticationMethod?

    /// Returns whether a method can carry the credential.
    ///
    /// For a custom scheme of the user, this is not known.
    func suits(_ method: AuthenticationMethod) -> Bool { method.traits.carries(credential.kind) }
}

extension Credential {
    /// Returns the method by which the credential is sent before a challenge; `nil` if it waits for one.
    ///
    /// See ``RequestRoute/protects(_:)`` about protected requests.
    fileprivate func preemptiveMethod(isProtected: Bool) -> AuthenticationMethod? {
        switch sending {
        case .whenAsked: return nil
        case .immediately: guard isProtected else { return nil }
        case .immediatelyWithoutTLS: break
        }
        switch kind {
        case .password: return .basic
        case .token: return .bearer
        case .currentUser: return .negotiate
        case .identity, .encodedIdentity, .serverTrust: return nil
        }
    }
}

extension SessionRequest {
    /// Returns the request's credential, or else the one in its URL, or else the one of the session's configuration.
    ///
    /// A user name without a password in the URL counts only if it is sent preemptively. If the configuration has the
    /// credential of the URL too, its condition for sending it applies. The URL is that of the current hop.
    func credential(for url: HTTPURL, among configured: OriginCredentials) -> Credential? {
        if let credential { return credential }
        let configured = configured.credential(for: url)
        let written = urlUserInfo.flatMap { $0.password == nil && preemptiveMethod == nil ? nil : $0.credential }
        guard let written, written.kind != configured?.kind else { return configured }
        return written
    }

    /// Returns the credential for a hop of the request, with the method by which it is sent preemptively.
    func ownCredential(
        for url: HTTPURL, among configured: OriginCredentials, isProtected: Bool
    ) -> OwnCredential? {
        // The request's method is for its own credential, not for that of the configuration.
        let explicitMethod = credential == nil && urlUserInfo == nil ? nil : preemptiveMethod
        return credential(for: url, among: configured).map {
            OwnCredential(
                credential: $0, preemptiveMethod: explicitMethod ?? $0.preemptiveMethod(isProtected: isProtected))
        }
    }

    /// The user name and the password in the URL; `nil` if there is no user name, or the URL is invalid.
    package var urlLogin: (user: String, password: Secret?)? {
        (try? HTTPURL.parse(url).1).map { ($0.user, $0.password) }
    }

    /// The user name in the URL, if the URL has no password.
    var proposedUser: String? { credential == nil && urlUserInfo?.password == nil ? urlUserInfo?.user : nil }
}

extension Proxy {
    var ownCredential: OwnCredential? {
        credential.map {
            let isProtected = usesTLS || endpoint.host.isLoopback
            return OwnCredential(
                credential: $0, preemptiveMethod: preemptiveMethod ?? $0.preemptiveMethod(isProtected: isProtected))
        }
    }
}
