// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import Testing

@testable import XMLSignature

@Suite struct SHA224Tests {
    @Test(
        "NIST's examples of SHA-224 have their digests",
        arguments: [
            ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
            ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "c97ca9a559850ce97a04a96def6d99a9e0e0e2ab14e6b8df265fc0b3"
            ),
            (String(repeating: "a", count: 1_000_000), "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67"),
        ])
    func vectors(text: String, expected: String) {
        #expect(SHA224.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test("RFC 4231's first code with SHA-224 is right") func code() {
        let key = SymmetricKey(data: [UInt8](repeating: 0x0b, count: 20))
        let code = HMAC<SHA224>.authenticationCode(for: Data("Hi There".utf8), using: key)
        #expect(
            code.map { String(format: "%02x", $0) }.joined()
                == "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22")
    }
}
