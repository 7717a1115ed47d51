// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// What of the answers in one space depends on the credential alone: made once, because it costs hashes and text.
struct DigestAccount {
    /// What the key of a -sess algorithm is made with.
    struct Session {
        let nonce: String
        let clientNonce: String
    }

    /// H(A1) in hexadecimal (RFC 7616 section 3.4.2).
    let key: Secret
    /// How answers begin: scheme, user, realm, and the name of what comes next.
    let opening: String
    private let user: String
    private let password: Secret

    init(user: String, password: Secret, terms: DigestTerms, session: Session?) {
        self.user = user
        self.password = password
        let algorithm = terms.algorithm
        var key = algorithm.digest { feed in
            "\(user):\(terms.realm):".lendBytes(to: feed)
            password.withUnsafeBytes(feed)
        }
        if let session { key = algorithm.digest("\(key):\(session.nonce):\(session.clientNonce)") }
        self.key = Secret(key.description)
        opening = "Digest \(Self.userField(user, terms: terms)), realm=\(terms.realm.quotedForField), nonce="
    }

    /// Whether it was made for these; users are the same if their bytes are, which for a `String` is not a matter of course.
    func belongs(to user: String, _ password: Secret) -> Bool {
        user.utf8.elementsEqual(self.user.utf8) && password == self.password
    }

    /// Section 3.4.4 for `userhash`, section 3.4 for `username*`.
    private static func userField(_ user: String, terms: DigestTerms) -> String {
        if terms.hashesUser { return "username=\"\(terms.algorithm.digest("\(user):\(terms.realm)"))\"" }
        guard terms.acceptsExtendedUser, !user.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "username=\(user.quotedForField)"
        }
        // An ext-value's characters (RFC 8187 section 3.2.1).
        return "username*=UTF-8''\(user.percentEncoded(besides: "!#$&+-.^_`|~"))"
    }
}
