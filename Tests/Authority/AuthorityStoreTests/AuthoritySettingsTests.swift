// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@testable import AuthorityStore

@Suite struct AuthoritySettingsTests {
    @Test(
        "The stored form of a key's location has not changed",
        arguments: [
            (AuthoritySettings.KeyLocation.file("issuing-key.pem"), #"{"file":{"_0":"issuing-key.pem"}}"#),
            (.keychain("Home issuing authority"), #"{"keychain":{"_0":"Home issuing authority"}}"#),
            (
                .token(uri: "pkcs11:token=home", module: "/lib/module.so"),
                #"{"token":{"module":"\/lib\/module.so","uri":"pkcs11:token=home"}}"#
            ),
        ])
    func keyPlace(place: AuthoritySettings.KeyLocation, text: String) throws {
        #expect(try JSONDecoder().decode(AuthoritySettings.KeyLocation.self, from: Data(text.utf8)) == place)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(place), as: UTF8.self) == text)
    }
}
