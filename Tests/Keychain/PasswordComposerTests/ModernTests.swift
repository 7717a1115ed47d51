// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Testing
@testable import PasswordComposer
import EssentialFoundation

@Suite struct ModernTests {
    @Test(
        "The passwords of the modern mode never change",
        arguments: [
            ("test", "example.com", "", 1 as UInt32, ComposerCharacters(), "W%r&gqP2QcJuimIA"),
            ("test", "example.com", "mary", 1, ComposerCharacters(), "w#KWiYZy1GttKKV!"),
            ("test", "https://EXAMPLE.com/", "mary", 1, ComposerCharacters(), "w#KWiYZy1GttKKV!"),
            (
                "test", "example.com", "mary", 2, ComposerCharacters(.all, length: 64),
                "rq#GS!M2*=MypVf1:evPa:IJsVIap#4adyo=+okvIr-3E@u=SNxfG4HQ8ZqzM!kG"
            ),
            ("test", "example.com", "mary", 1, ComposerCharacters(.digits, length: 4), "8753"),
            (
                "correct horse 🐎", "münchen.example", "märy", 4_294_967_295,
                ComposerCharacters([.lowercase, .digits], length: 20), "dn48eeyxtgcb0tmu2yv7"
            ),
        ])
    func passwords(
        master: String, domain: String, login: String, counter: UInt32, characters: ComposerCharacters, password: String
    ) throws {
        #expect(
            try compose(.modern(ComposerAccount(login: login, counter: counter), characters), master, domain)
                == password)
    }

    /// Implements the documentation of `Modern` with swift-crypto.
    @Test(
        "An implementation of the documentation generates the same passwords",
        arguments: [
            ("example.com", "mary", 7 as UInt32, CharacterClasses.all, 12),
            ("a", "", 1 as UInt32, CharacterClasses(rawValue: 10), 4),
        ])
    func documentation(domain: String, login: String, counter: UInt32, classes: CharacterClasses, length: Int) throws {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let salt =
            Array("countersign-password-1".utf8) + number(domain.utf8.count) + Array(domain.utf8)
            + number(login.utf8.count) + Array(login.utf8) + number(Int(counter))
        let key = try KDF.Scrypt.deriveKey(
            from: Data("test".utf8), salt: Data(salt), outputByteCount: 32, rounds: 32768, blockSize: 8, parallelism: 3)
        let stream = (0..<64).flatMap { index in
            Array(
                HMAC<Crypto.SHA256>.authenticationCode(
                    for: [UInt8(length), classes.rawValue] + number(index), using: key))
        }
        let sets: [(CharacterClasses, String)] = [
            (.lowercase, "abcdefghijklmnopqrstuvwxyz"), (.uppercase, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            (.digits, "0123456789"), (.symbols, "!#$%&*+-.:=?@_"),
        ]
        let chosen = sets.filter { classes.contains($0.0) }.map { Array($0.1) }
        let alphabet = chosen.flatMap(\.self)
        var characters = stream.filter { Int($0) < 256 / alphabet.count * alphabet.count }
            .map { alphabet[Int($0) % alphabet.count] }[...]
        while !chosen.allSatisfy({ characters.prefix(length).contains(where: $0.contains) }) {
            characters = characters.dropFirst(length)
        }
        let account = ComposerAccount(login: login, counter: counter)
        #expect(
            try compose(.modern(account, ComposerCharacters(classes, length: length)), "test", domain)
                == String(characters.prefix(length)))
    }
}
