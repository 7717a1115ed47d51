// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import PasswordComposer

@Suite struct ComposerModeTests {
    @Test(
        "Settings from which no password can be generated are refused",
        arguments: [
            (ComposerMode.classic(.utf8), "", "example.com", CompositionError.noMaster),
            (.classic(.utf8), "test", " ", .noDomain),
            (.classic(.utf8), "test", "https://", .noDomain),
            (
                .modern(ComposerAccount(), ComposerCharacters(length: 3)), "test", "example.com",
                .length(3, allowed: 4...64)
            ),
            (
                .modern(ComposerAccount(), ComposerCharacters(length: 65)), "test", "example.com",
                .length(65, allowed: 4...64)
            ),
            (.modern(ComposerAccount(), ComposerCharacters([])), "test", "example.com", .noCharacterClass),
            (.modern(ComposerAccount(counter: 0), ComposerCharacters()), "test", "example.com", .counterZero),
            (
                .lessPass(ComposerAccount(), ComposerCharacters(length: 4)), "test", "example.com",
                .length(4, allowed: 5...35)
            ),
            (.superGenPass(.md5, length: 25), "test", "example.com", .length(25, allowed: 4...24)),
            (.spectre(ComposerAccount(), .long), "test", "example.com", .noLogin),
        ])
    func refusals(mode: ComposerMode, master: String, domain: String, error: CompositionError) {
        #expect(throws: error) { try compose(mode, master, domain) }
    }

    @Test(
        "The name of a site is the typed name, or the host name of a URL",
        arguments: [
            ("example.com", "example.com"), (" Example.com\n", "Example.com"), ("my bank", "my bank"),
            ("localhost:8080", "localhost:8080"), ("mary@example.com", "mary@example.com"),
            ("https://Example.com", "example.com"), ("https://mary:p@ss@example.com:8443/a//b?c#d", "example.com"),
            ("example.com/login", "example.com"), ("//example.com?x", "example.com"), ("http://[::1]:80/", "[::1]"),
            ("example.com/https://other.example/", "example.com"), ("https://münchen.example/", "münchen.example"),
            ("https://", ""), ("", ""),
        ])
    func siteNames(text: String, name: String) {
        #expect(String(decoding: SiteName(text).utf8, as: UTF8.self) == name)
    }

    @Test(
        "Master passwords that differ in one character have different pictures, which never change",
        arguments: [
            ("test", "blue cross, red star, blue square"),
            ("Test", "blue moon, green cross, blue circle"), ("пароль", "red circle, green diamond, amber star"),
        ])
    func fingerprints(master: String, description: String) {
        let fingerprint = ComposerFingerprint(of: secret(master))
        #expect(fingerprint.description == description)
        #expect(fingerprint.svg.hasPrefix("<svg xmlns") && fingerprint.svg.hasSuffix("</svg>"))
    }
}
