// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article of the module PasswordComposer.

import PasswordComposer

func compose(_ bytes: UnsafeRawBufferPointer) throws(CompositionError) -> Int {
    let master = SecretBytes(copying: bytes)
    let mode = ComposerMode.modern(ComposerAccount(login: "mary"), ComposerCharacters(length: 20))
    let password = try mode.compose(master, for: SiteName("https://example.com/login"))
    return password.count
}
