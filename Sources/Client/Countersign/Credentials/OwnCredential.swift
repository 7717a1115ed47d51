// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
package import Secrets

/// The credential that a request or a proxy configuration provides for its challenges.
struct OwnCredential: Sendable {
    let credential: Credential
    /// The method by which the credential is sent preemptively; `nil` if it waits for a challenge.
    let preemptiveMethod: AuthenticationMethod?

    /// Returns whether a method can carry the credential.
    ///
    /// For a custom scheme of the user, this is not known.
    func suits(_ method: AuthenticationMethod) -> Bool { method.traits.carries(credential.kind) }
}

extension SessionRequest {
    /// The request's credential, or else the one in its URL.
    ///
    /// A user name without a password in the URL counts only if it is sent preemptively.
    var ownCredential: OwnCredential? {
        let written = urlUserInfo.flatMap { $0.password == nil && preemptiveMethod == nil ? nil : $0.credential }
        return (credential ?? written).map { OwnCredential(credential: $0, preemptiveMethod: preemptiveMethod) }
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
        credential.map { OwnCredential(credential: $0, preemptiveMethod: preemptiveMethod) }
    }
}
