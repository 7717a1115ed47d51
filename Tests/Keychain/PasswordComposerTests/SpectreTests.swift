// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import PasswordComposer

/// Tests with the version 3 password cases from Spectre's tests (mpw_tests.xml of Lyndir/MasterPassword).
@Suite struct SpectreTests {
    @Test("The passwords of each template match Spectre") func templates() {
        let key = Spectre.userKey(secret("banana colored duckling"), name: Array("Robert Lee Mitchell".utf8))
        #expect(
            hexadecimal(Array(SHA256.hash(data: bytes(key))))
                == "98eef4d1df46d849574a82a03c3177056b15dffca29bb3899de4628453675302")
        let expected: [(SpectreTemplate, String)] = [
            (.long, "Jejr5[RepuSosp"), (.maximum, "W6@692^B1#&@gVdSdLZ@"), (.medium, "Jej2$Quv"), (.basic, "WAo2xIg6"),
            (.short, "Jej2"), (.pin, "7662"), (.name, "jejraquvo"), (.phrase, "jejr quv cabsibu tam"),
        ]
        for (template, password) in expected {
            #expect(text(Spectre.password(of: key, SiteName("masterpasswordapp.com"), 1, template)) == password)
        }
        #expect(text(Spectre.password(of: key, SiteName("⛄"), 1, .long)) == "LiheCuwhSerz6)")
        #expect(
            text(Spectre.password(of: key, SiteName("masterpasswordapp.com"), 4_294_967_295, .long)) == "XambHoqo6[Peni"
        )
    }

    @Test(
        "Names and master passwords are measured in bytes",
        arguments: [
            ("⛄", "banana colored duckling", "NopaDajh8=Fene"),
            ("Robert Lee Mitchell", "⛄", "QesuHirv5-Xepl"),
        ])
    func lengths(name: String, master: String, password: String) throws {
        #expect(try compose(.spectre(ComposerAccount(login: name), .long), master, "masterpasswordapp.com") == password)
    }
}
