// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import CommandSupport
import Identities
import X509

/// What a file of certificates and keys holds, as JSON has it and as a person reads it.
struct IdentityReport: Encodable {
    struct Protection: Encodable {
        let name: String
        let iterations: Int?

        init(_ protection: PasswordProtection) { (name, iterations) = (protection.name, protection.iterations) }

        var text: String { name + (iterations.map { ", \($0) iterations" } ?? "") }
    }

    struct Key: Encodable {
        /// `nil` where the key is encrypted and the password was not given.
        let type: String?
        let friendlyName: String?
        let encryption: Protection?
        /// The fingerprint of the key's certificate, where the file holds it.
        let certificate: String?
    }

    struct Entry: Encodable {
        let friendlyName: String?
        let certificate: CertificateSummary
        /// Whether Java's trust store marks it as trusted.
        let isTrusted: Bool
        /// Whether the file holds its key.
        let hasKey: Bool
    }

    struct Pair: Encodable {
        let friendlyName: String?
        /// Fingerprints, leaf first.
        let chain: [String]
    }

    let container: String
    let isLocked: Bool
    let integrity: Protection?
    let encryptions: [Protection]
    let certificates: [Entry]
    let keys: [Key]
    let identities: [Pair]
    let others: [String]
    let ignoredBags: Int

    init(_ contents: IdentityContents) {
        container = contents.container.rawValue
        isLocked = contents.isLocked
        integrity = contents.integrity.map(Protection.init)
        encryptions = contents.encryptions.map(Protection.init)
        let keys = Set(contents.keys.compactMap(\.publicKey))
        certificates = contents.certificates.map { certificate in
            Entry(
                friendlyName: contents.friendlyName(of: certificate)?.printable,
                certificate: CertificateSummary(certificate),
                isTrusted: contents.trustedCertificates.contains(certificate),
                hasKey: keys.contains(certificate.publicKey))
        }
        self.keys = contents.keys.map { key in
            let leaf = contents.certificates.first { $0.publicKey == key.publicKey }
            return Key(
                type: key.type, friendlyName: key.friendlyName?.printable,
                encryption: key.encryption.map(Protection.init),
                certificate: leaf.map { CertificateSummary($0).fingerprint })
        }
        identities = contents.identities.map { pair in
            Pair(
                friendlyName: pair.friendlyName?.printable, chain: pair.chain.map { CertificateSummary($0).fingerprint }
            )
        }
        others = contents.otherContents.map(\.printable)
        ignoredBags = contents.ignoredBagCount
    }

    var lines: [String] {
        var lines = [
            "\(container): \(count(certificates.count, "certificate")), \(count(keys.count, "private key")), "
                + (identities.count == 1 ? "1 identity" : "\(identities.count) identities")
        ]
        if isLocked { lines.append("Locked: the rest is encrypted, and no password was given (--password-file).") }
        if let integrity { lines.append("Integrity:   \(integrity.text)\(isLocked ? " (not checked)" : "")") }
        lines += encryptions.map { "Encryption:  \($0.text)" }
        for (number, entry) in certificates.enumerated() {
            lines += ["", "Certificate \(number + 1)" + (entry.friendlyName.map { " \"\($0)\"" } ?? "")]
            lines += CertificateText.lines(entry.certificate)
            if entry.hasKey { lines.append("Key:         in the file") }
            if entry.isTrusted { lines.append("Trusted:     marked so, as Java does") }
        }
        for (number, key) in keys.enumerated() {
            lines += ["", "Private key \(number + 1)" + (key.friendlyName.map { " \"\($0)\"" } ?? "")]
            lines.append("Type:        \(key.type ?? "encrypted")")
            lines.append("Encryption:  \(key.encryption?.text ?? "none for the key itself")")
            lines.append("Certificate: \(key.certificate ?? "none in the file")")
        }
        if !others.isEmpty { lines += ["", "Not read: \(others.joined(separator: ", "))"] }
        if ignoredBags > 0 { lines += ["", "Not read: \(count(ignoredBags, "bag")) of other kinds"] }
        return lines
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
