// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Keychains
import Secrets
import Testing

@Suite struct PasswordWeaknessTests {
    @Test(
        "A common password is reported with the reason",
        arguments: [
            ("", PasswordWeakness.short), ("x7!kQ2p", .short), ("äöüäöüß", .short), ("password", .common),
            ("Password1!", .common), ("SUMMER2026", .common), ("aaaaaaaaaa", .pattern), ("abcabcabc", .pattern),
            ("23456789", .pattern), ("lkjhgfdsa", .pattern), ("1q2w3e4r", .pattern), ("mary.smith9", .context),
            ("xMary.Smith", .context), ("myshop-2931", .context),
        ])
    func weak(password: String, weakness: PasswordWeakness) {
        #expect(
            PasswordWeakness.find(in: Secret(password), user: "mary.smith", host: "www.myshop.example") == weakness)
    }

    @Test(
        "Other passwords are not reported",
        arguments: ["xk7Qp2!vLm", "correct horse battery", "äöüßéèñ¿", "example-9d8f7g"])
    func notWeak(password: String) {
        #expect(PasswordWeakness.find(in: Secret(password), user: "jo", host: "www.myshop.example") == nil)
    }
}
