// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import PasswordComposer

/// Tests with values from LessPass's tests (github.com/lesspass/lesspass, packages/lesspass-cli and lesspass-entropy).
@Suite struct LessPassTests {
    @Test(
        "Passwords match LessPass",
        arguments: [
            ("example.org", "contact@example.org", 1 as UInt32, ComposerCharacters(), "WHLpUL)e00[iHR+w"),
            ("lesspass.com", "contact@lesspass.com", 1, ComposerCharacters(), #"\g-A1-.OHEwrXjT#"#),
            ("lesspass.com", "", 1, ComposerCharacters(), "7Cw-APO5Co?G>W>u"),
            ("lesspass.com", "contact@lesspass.com", 1, ComposerCharacters(length: 14), #"=0\A-.OHEKvwrX"#),
            ("lesspass.com", "contact@lesspass.com", 2, ComposerCharacters(), "Vf:F1'!I`8Y2`GBE"),
            ("lesspass.com", "contact@lesspass.com", 10, ComposerCharacters(), #"qwv0l*n?i^Q745\w"#),
            (
                "lesspass.com", "contact@lesspass.com", 1, ComposerCharacters([.uppercase, .digits, .symbols]),
                ##"JBG\`3{+0["(E\JJ"##
            ),
            (
                "lesspass.com", "contact@lesspass.com", 1, ComposerCharacters([.lowercase, .digits, .symbols]),
                ##"jbg\`3{+0["(e\jj"##
            ),
            (
                "lesspass.com", "contact@lesspass.com", 1, ComposerCharacters([.lowercase, .uppercase, .symbols]),
                ";zkB#m]mNF$;J_Ej"
            ),
            (
                "lesspass.com", "contact@lesspass.com", 1, ComposerCharacters([.lowercase, .uppercase, .digits]),
                "OlfK63bmUhqrGODR"
            ),
            ("lesspass.com", "contact@lesspass.com", 1, ComposerCharacters(.lowercase), "fmnujoqgcxmpffyh"),
            ("lesspass.com", "contact@lesspass.com", 1, ComposerCharacters(.digits), "7587019305478072"),
            ("lesspass.com", "contact@lesspass.com", 1, ComposerCharacters(.digits, length: 8), "75837019"),
            ("lesspass.com", "contact@lesspass.com", 1, ComposerCharacters(.symbols), ##"<"]|'`%};'`>-'[,"##),
            ("example.org", "0123", 1, ComposerCharacters(), #"5,4SqhB2[=/h\DZh"#),
        ])
    func passwords(domain: String, login: String, counter: UInt32, characters: ComposerCharacters, password: String)
        throws
    {
        let mode = ComposerMode.lessPass(ComposerAccount(login: login, counter: counter), characters)
        #expect(try compose(mode, "password", domain) == password)
    }

    @Test(
        "The entropy matches LessPass",
        arguments: [
            ("password", "contact@example.org", "dc33d431bce2b01182c613382483ccdb0e2f66482cbba5e9d07dab34acc7eb1e"),
            ("I ❤ LessPass", "❤", "4e66cab40690c01af55efd595f5963cc953d7e10273c01827881ebf8990c627f"),
        ])
    func entropy(master: String, login: String, entropy: String) {
        let number = LessPass.entropy(secret(master), SiteName("example.org"), ComposerAccount(login: login))
        #expect(hexadecimal(bytes(number.bytes)) == entropy)
    }
}
