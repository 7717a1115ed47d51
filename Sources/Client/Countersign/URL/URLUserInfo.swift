// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Encodings
import EssentialFoundation
import Secrets

/// The decoded user information of a URL (RFC 3986 section 3.2.1).
struct URLUserInfo: Hashable, Sendable {
    let user: String
    /// The password; `nil` if there is no colon, so that the password must come from another source.
    let password: Secret?

    /// Parses the user information of a URL; `nil` if it is missing, or consists of a colon only.
    ///
    /// - Throws: ``Malformed`` if it cannot be decoded, or contains a control character.
    init?(of url: URL) throws(Malformed) {
        let (user, password) = (url.user(percentEncoded: true) ?? "", url.password(percentEncoded: true))
        guard !user.isEmpty || password?.isEmpty == false else { return nil }
        guard let name = String(validating: try Self.decode(user), as: UTF8.self) else { throw Malformed() }
        self.user = name
        if let password {
            self.password = Secret(utf8: try Self.decode(password))
        } else {
            self.password = nil
        }
    }

    struct Malformed: Error {}

    /// The credential, with an empty password if the URL has none, as in curl.
    var credential: Credential { .password(user: user, password: password ?? Secret("")) }

    private static func decode(_ text: String) throws(Malformed) -> [UInt8] {
        guard let bytes = PercentEncoding.decode(text.utf8),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw Malformed() }
        return bytes
    }
}
