// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import CommandSupport
import ErrorExplanations
import Foundation
import Keychains
import Secrets

/// The options for the properties that all items share.
struct ItemOptions: ParsableArguments {
    @Option(help: "The label of the item.")
    var label: String?

    @Option(help: "A comment.")
    var comment: String?

    @Option(
        help: ArgumentHelp(
            "The availability of the secret.",
            discussion: """
                when-unlocked: for some minutes after an unlock. after-first-unlock: until the keychain is locked, for programs \
                that run unattended. Without it, when-unlocked.
                """, valueName: "when"))
    var readable: KeychainItem.Accessibility.Availability?

    @Flag(help: "Let the secret be read on this device only, even if the file is copied.")
    var thisDeviceOnly = false

    /// Whether an option sets the accessibility of the secret.
    var namesAccessibility: Bool { readable != nil || thisDeviceOnly }

    var accessibility: KeychainItem.Accessibility {
        let readable: KeychainItem.Accessibility =
            readable == .afterFirstUnlock ? .afterFirstUnlock : .whenUnlocked
        return thisDeviceOnly ? readable.thisDeviceOnly : readable
    }
}

/// A host to which an item is limited, as the user writes it.
enum HostArgument {
    /// - Throws: `ValidationError` for a text that is neither a name nor an address, because the item would match no
    ///   host.
    static func read(_ text: String) throws -> String {
        guard (try? HostName(text)) != nil else {
            throw ValidationError("write a host name or an address, without a scheme and a port")
        }
        return text
    }
}

/// The password of an item.
enum ItemPassword: SecretPurpose {
    static let option = "password"
    static let subject = "the password"
}

/// The options for a password that is given, asked for or generated.
struct PasswordOptions: ParsableArguments {
    /// The alphabet without similar characters: 20 of them have 115 bits.
    private static let alphabet = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    private static let length = 20

    @OptionGroup
    var given: SecretOptions<ItemPassword>

    @Flag(help: "Generate a random password of 20 characters.")
    var generate = false

    var isGiven: Bool { given.isGiven || generate }

    func read(_ name: String, on console: Console) async throws -> Secret {
        guard generate else { return try await NewSecret.read(given, name, on: console) }
        guard !given.isGiven else { throw UsageError.contradiction("--generate", given.name) }
        var generator = SystemRandomNumberGenerator()
        return Secret(utf8: (0..<Self.length).map { _ in Self.alphabet.randomElement(using: &generator) ?? 0 })
    }
}

/// The protection space of a login.
enum LoginSpace {
    /// Reads the URL of an origin or a proxy; a path is ignored.
    ///
    /// - Throws: ``UsageError``.
    static func space(_ url: String, realm: String?, method: String?, isProxy: Bool) throws -> ProtectionSpace {
        let text = url.contains("://") ? url : "https://" + url
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            let port = parts.port ?? ["http": 80, "https": 443, "socks5": 1080, "socks5h": 1080][scheme],
            (1...65535).contains(port),
            // Non-ASCII names are converted to A-labels, as in the session.
            let host = try? HostName(parts.encodedHost ?? "")
        else { throw UsageError.value("URL", "write it as https://HOST or https://HOST:PORT") }
        let role: ProtectionSpace.Role = isProxy || scheme.hasPrefix("socks5") ? .proxy : .origin
        return ProtectionSpace(
            host: host, port: port, scheme: scheme, realm: realm,
            method: method.map { AuthenticationMethod($0) } ?? .any, role: role)
    }
}
