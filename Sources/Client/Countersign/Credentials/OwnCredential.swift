// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
package import Secrets

/// What one request, or one proxy, brings to answer its challenges with.
struct OwnCredential: Sendable {
    let credential: Credential
    /// The method by which it is sent before anyone asks.
    let unasked: AuthenticationMethod?

    /// Whether a method can carry it; what a user's scheme can carry is not known here.
    func suits(_ method: AuthenticationMethod) -> Bool { method.traits.carries(credential.kind) }
}

extension Request {
    /// The one that was named beats the one in the URL; a user alone in a URL is no credential unless it is to be sent unasked.
    var ownCredential: OwnCredential? {
        let written = urlUserInfo.flatMap { $0.password == nil && unasked == nil ? nil : $0.credential }
        return (credential ?? written).map { OwnCredential(credential: $0, unasked: unasked) }
    }

    /// The user and the password that stand before the host in the URL; `nil` where no user stands there, or no URL.
    package var urlLogin: (user: String, password: Secret?)? {
        (try? HTTPURL.parse(url).1).map { ($0.user, $0.password) }
    }

    /// Whom the URL names without a password.
    var proposedUser: String? { credential == nil && urlUserInfo?.password == nil ? urlUserInfo?.user : nil }
}

extension Proxy {
    var ownCredential: OwnCredential? {
        credential.map { OwnCredential(credential: $0, unasked: unasked) }
    }
}
