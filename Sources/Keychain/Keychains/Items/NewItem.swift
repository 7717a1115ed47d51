// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
internal import Crypto
internal import Encodings
package import EssentialFoundation
public import Identities
public import Secrets
internal import SwiftASN1
public import X509

/// An item to add to a keychain, or to replace another item.
public struct NewItem: Sendable {
    var label: String
    var comment: String
    package internal(set) var kind: KeychainItem.Kind
    var accessibility: KeychainItem.Accessibility
    var secret: [UInt8]
    let attachments: [Attachment]
    /// Whether a server has rejected the internet password, which is then no longer used.
    package var isRejected = false
    /// Whether an item that is already stored keeps its accessibility, because the caller specified none.
    package var keepsStoredAccessibility = false
    /// The times of the item in the program from which it is imported; `nil` for the time of the import.
    package var created: Date?
    package var modified: Date?

    /// A file that is attached to a note.
    public struct Attachment: Hashable, Sendable {
        /// The file name of the attachment.
        public let name: String
        /// The media type, such as `image/png` (RFC 6838); may be empty.
        public let mediaType: String
        /// The size in bytes.
        public let size: Int
        let bytes: [UInt8]

        /// Creates an attachment from bytes in memory.
        public init(name: String, mediaType: String = "", bytes: [UInt8]) {
            (self.name, self.mediaType, self.bytes, size) = (name, mediaType, bytes, bytes.count)
        }
    }

    private init(
        _ kind: KeychainItem.Kind, label: String, comment: String, accessibility: KeychainItem.Accessibility,
        secret: [UInt8], attachments: [Attachment] = []
    ) {
        (self.kind, self.label, self.comment, self.accessibility) = (kind, label, comment, accessibility)
        (self.secret, self.attachments) = (secret, attachments)
    }

    /// Creates a generic password, used by a program.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - service: The program or service that uses the password.
    ///   - account: The account at the service.
    ///   - label: The label of the item.
    ///   - comment: The user's comment.
    ///   - accessibility: The condition under which the secret can be read.
    /// - Returns: The item, which is not in a keychain yet.
    public static func genericPassword(
        _ password: Secret, service: String, account: String, label: String = "", comment: String = "",
        accessibility: KeychainItem.Accessibility = .whenUnlocked
    ) -> NewItem {
        NewItem(
            .genericPassword(service: service, account: account), label: label, comment: comment,
            accessibility: accessibility, secret: password.withUnsafeBytes { Array($0) })
    }

    /// Creates a password for a protection space, or a token if there is no user.
    ///
    /// - Parameters:
    ///   - password: The password or the token.
    ///   - user: The user of the password; `nil` for a token.
    ///   - space: The protection space in which it is valid (RFC 9110 section 11.5).
    ///   - label: The label of the item.
    ///   - comment: The user's comment.
    ///   - accessibility: The condition under which the secret can be read.
    /// - Returns: The item, which is not in a keychain yet.
    public static func internetPassword(
        _ password: Secret, user: String?, space: ProtectionSpace, label: String = "", comment: String = "",
        accessibility: KeychainItem.Accessibility = .whenUnlocked
    ) -> NewItem {
        NewItem(
            .internetPassword(space, user: user), label: label, comment: comment, accessibility: accessibility,
            secret: password.withUnsafeBytes { Array($0) })
    }

    /// Creates a certificate with a trust setting; it is not secret, so its accessibility is
    /// ``KeychainItem/Accessibility/afterFirstUnlock``.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - trust: The trust setting of the certificate for servers.
    ///   - hosts: The hosts, as in URLs, to which the setting applies; empty for all hosts.
    ///   - label: The label of the item.
    ///   - comment: The user's comment.
    /// - Returns: The item, which is not in a keychain yet.
    /// - Throws: ``KeychainError/unsupportedCertificate`` if the certificate cannot be encoded.
    public static func certificate(
        _ certificate: Certificate, trust: TrustSettings.Setting, hosts: [String] = [], label: String = "",
        comment: String = ""
    ) throws(KeychainError) -> NewItem {
        NewItem(
            .certificate(
                try KeychainItem.CertificateFacts(certificate), trust, hosts: hosts.map { $0.lowercased() }),
            label: label, comment: comment,
            accessibility: .afterFirstUnlock, secret: try certificate.derEncoded)
    }

    /// Creates an item from a certificate chain and its key.
    ///
    /// - Parameters:
    ///   - identity: The chain and the key.
    ///   - hosts: The hosts, as in URLs, that may receive the identity; empty for all hosts.
    ///   - label: The label of the item.
    ///   - comment: The user's comment.
    ///   - accessibility: The condition under which the key can be read.
    /// - Returns: The item, which is not in a keychain yet.
    /// - Throws: ``KeychainError/unsupportedCertificate`` if a certificate or the key cannot be encoded.
    public static func identity(
        _ identity: Identity, hosts: [String] = [], label: String = "", comment: String = "",
        accessibility: KeychainItem.Accessibility = .whenUnlocked
    ) throws(KeychainError) -> NewItem {
        guard let chain = try? identity.pemEncodedChain, let key = try? identity.pemEncodedPrivateKey else {
            throw .unsupportedCertificate
        }
        return NewItem(
            .identity(
                try KeychainItem.CertificateFacts(identity.certificate), hosts: hosts.map { $0.lowercased() }),
            label: label, comment: comment, accessibility: accessibility, secret: chain + key)
    }

    /// Creates a note, which is a text with attachments; its label is its title.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - attachments: The attached files.
    ///   - label: The label of the item.
    ///   - comment: The user's comment.
    ///   - accessibility: The condition under which the text and the attachments can be read.
    /// - Returns: The item, which is not in a keychain yet.
    public static func note(
        _ text: Secret, attachments: [Attachment] = [], label: String, comment: String = "",
        accessibility: KeychainItem.Accessibility = .whenUnlocked
    ) -> NewItem {
        NewItem(
            .note, label: label, comment: comment, accessibility: accessibility,
            secret: text.withUnsafeBytes { Array($0) }, attachments: attachments)
    }
}

extension KeychainItem.CertificateFacts {
    init(_ certificate: Certificate) throws(KeychainError) {
        let digest = SHA256.hash(data: try certificate.derEncoded)
        self.init(
            subject: certificate.subject.text, issuer: certificate.issuer.text,
            fingerprint: Hexadecimal.encode(digest),
            notAfter: certificate.notValidAfter)
    }
}

extension Certificate {
    var derEncoded: [UInt8] {
        get throws(KeychainError) {
            guard let document = try? serializeAsPEM() else { throw .unsupportedCertificate }
            return document.derBytes
        }
    }
}

/// The effect of storing an item.
public struct ItemChange: Hashable, Sendable {
    /// The kind of the effect.
    @nonexhaustive
    public enum Effect: Hashable, Sendable {
        /// The keychain had no such item.
        case added
        /// The keychain had the item with other contents, which were replaced.
        case changed
        /// The keychain had the item with the same contents.
        case equal
        /// The keychain had the item with other contents, which were not replaced.
        case retained
        /// A newer item in the same call has the same identity and other contents, so this one was not stored.
        case superseded
    }

    /// The kind of the effect.
    public let effect: Effect
    /// The item in the keychain; `nil` for an item that would be added, and for a duplicate within the call.
    public let item: KeychainItem?
    /// Damage that may affect the same item, so that the keychain may contain it twice; empty for none.
    public let damage: [KeychainDamage]
}

/// The properties that identify an item: two items with equal ones are the same item.
enum ItemIdentity: Hashable {
    case genericPassword(service: String, account: String)
    case internetPassword(ProtectionSpace, user: String?)
    /// A certificate can be an anchor for some hosts and a pin for others, and a distrusted one remains distrusted, so
    /// the trust setting is part of the identity.
    case certificate(fingerprint: String, TrustSettings.Setting)
    case identity(fingerprint: String)
    /// Notes may share a title: two notes are the same only if their text and attachments are equal too.
    case note(title: String)

    init(_ kind: KeychainItem.Kind, label: String) {
        switch kind {
        case .genericPassword(let service, let account): self = .genericPassword(service: service, account: account)
        case .internetPassword(let space, let user): self = .internetPassword(space, user: user)
        case .certificate(let facts, let setting, _): self = .certificate(fingerprint: facts.fingerprint, setting)
        case .identity(let facts, _): self = .identity(fingerprint: facts.fingerprint)
        case .note: self = .note(title: label)
        }
    }
}

extension KeychainItem {
    var identity: ItemIdentity { ItemIdentity(kind, label: label) }

    /// Returns whether the item was changed before another one, or has a lower number if both changed in the same
    /// second.
    package func isOlder(than other: KeychainItem) -> Bool { (modified, id) < (other.modified, other.id) }
}

extension NewItem {
    var identity: ItemIdentity { ItemIdentity(kind, label: label) }
}

extension [KeychainItem] {
    /// The item that was changed last; among several within one second, the one that was added last.
    package var newest: KeychainItem? { self.max { $0.isOlder(than: $1) } }
}

extension [ItemChange] {
    /// The damage in all changes, without duplicates.
    package var damage: [KeychainDamage] {
        var known: Set<KeychainDamage> = []
        return flatMap(\.damage).filter { known.insert($0).inserted }
    }
}
