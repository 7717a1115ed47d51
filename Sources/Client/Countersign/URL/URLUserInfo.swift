// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Encodings
import EssentialFoundation
import Secrets

/// What stands before the host of a URL (RFC 3986 section 3.2.1), decoded.
struct URLUserInfo: Hashable, Sendable {
    let user: String
    /// `nil` where there is not even a colon: then the user is only named, for others to find the password.
    let password: Secret?

    /// Reads what stands before a URL's host; `nil` where nothing stands there, or no more than a colon.
    ///
    /// - Throws: ``Malformed`` where it could break out of a line, or is no text.
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

    /// A user alone has an empty password where one is needed, as curl has it.
    var credential: Credential { .password(user: user, password: password ?? Secret("")) }

    private static func decode(_ text: String) throws(Malformed) -> [UInt8] {
        guard let bytes = PercentEncoding.decode(text.utf8),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw Malformed() }
        return bytes
    }
}
