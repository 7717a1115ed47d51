// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CommandSupport

/// Whether the keychain is asked.
package struct KeychainOption: ParsableArguments {
    @Flag(
        name: .customLong("keychain"),
        help: ArgumentHelp(
            "Take anchors, pins, distrusted certificates, logins and identities from the keychain.",
            discussion: """
                A login is sent to its own server or proxy only. One that the server rejects is not offered again until it is \
                changed. 'countersign keychain' keeps the keychain.
                """))
    package var isAsked = false

    @Option(help: ArgumentHelp("The same with the keychain in this file.", valueName: "file"))
    package var keychainFile: String?

    package init() {}

    /// A new client, which starts a process once it is asked; `nil` where the keychain is not asked.
    package func makeClient() -> KeychainClient? {
        isAsked || keychainFile != nil ? KeychainClient(path: keychainFile) : nil
    }
}
