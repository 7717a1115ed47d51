// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import PasswordComposer

@Suite struct ClassicTests {
    @Test(
        "The classic mode generates the passwords of the original",
        arguments: [
            // MD5 of "test:example.com", whose ASCII characters are the same in all encodings.
            (ClassicEncoding.lowBytes, "test", "example.com", "74ee384f"),
            (.utf8, "test", "example.com", "74ee384f"),
            (.lowBytes, "test", "https://mary@Example.com:8443/login?next=/#top", "74ee384f"),
        ])
    func passwords(encoding: ClassicEncoding, master: String, domain: String, password: String) throws {
        #expect(try compose(.classic(encoding), master, domain) == password)
    }

    @Test(
        "The low byte of each UTF-16 code unit or every UTF-8 byte is hashed",
        arguments: [
            "passwörd", "пароль", "密码", "🔑 key", "é\u{0301}", "\u{FFFD}",
        ])
    func encodings(master: String) throws {
        let units = "\(master):münchen.example".utf16.map { UInt8(truncatingIfNeeded: $0) }
        #expect(try compose(.classic(.lowBytes), master, "münchen.example") == Self.beginning(units))
        let bytes = Array("\(master):münchen.example".utf8)
        #expect(try compose(.classic(.utf8), master, "münchen.example") == Self.beginning(bytes))
    }

    private static func beginning(_ message: [UInt8]) -> String {
        hexadecimal(Array(Insecure.MD5.hash(data: message).prefix(4)))
    }
}
