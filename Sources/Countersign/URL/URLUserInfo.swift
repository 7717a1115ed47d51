// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What stands before the host of a URL (RFC 3986 section 3.2.1), still encoded.
struct URLUserInfo {
    private let user: String
    private let password: String

    /// `nil` where nothing stands there, or no more than a colon; a user alone has an empty password, as curl has it.
    init?(of url: URL) {
        user = url.user(percentEncoded: true) ?? ""
        password = url.password(percentEncoded: true) ?? ""
        guard !user.isEmpty || !password.isEmpty else { return nil }
    }

    /// User and password, decoded; `nil` where they could break out of a line, or are no text.
    var credential: Credential? {
        guard let userBytes = Self.decode(user), let name = String(validating: userBytes, as: UTF8.self),
            let passwordBytes = Self.decode(password)
        else { return nil }
        return .password(user: name, password: Secret(utf8: passwordBytes))
    }

    private static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? bytes : nil
    }
}
