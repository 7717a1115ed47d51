// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import EssentialFoundation
public import Identities
public import Secrets
public import X509

/// The properties of an item, without its secret.
public struct KeychainItem: Hashable, Sendable, Identifiable {
    /// The number of an item in its keychain, from 1; it is never reused.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The number.
        public let number: Int64

        /// Creates an identifier from a number.
        public init(_ number: Int64) { self.number = number }

        /// The number in decimal.
        public var description: String { String(number) }

        /// Compares the numbers, so that older items come first.
        public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    /// The condition under which an item's secret can be read, similar to the accessibility in Apple's keychain.
    public struct Accessibility: Hashable, Sendable {
        /// The time during which a secret can be read.
        @nonexhaustive
        public enum Availability: UInt8, Hashable, Sendable, CaseIterable {
            /// The secret can be read for some minutes after an unlock.
            case whenUnlocked = 1
            /// The secret can be read from an unlock until the keychain is locked.
            case afterFirstUnlock = 2
        }

        /// The time during which the secret can be read.
        public let availability: Availability
        /// Whether the secret can be read only with the secret of the device on which the item was added.
        public let isThisDeviceOnly: Bool

        private init(_ availability: Availability, isThisDeviceOnly: Bool = false) {
            (self.availability, self.isThisDeviceOnly) = (availability, isThisDeviceOnly)
        }

        /// The secret can be read for some minutes after an unlock.
        public static let whenUnlocked = Self(.whenUnlocked)
        /// The secret can be read from an unlock until the keychain is locked, and so also by unattended programs.
        public static let afterFirstUnlock = Self(.afterFirstUnlock)
        /// The same availability, on this device only.
        public var thisDeviceOnly: Self { Self(availability, isThisDeviceOnly: true) }

        var code: UInt8 { availability.rawValue | (isThisDeviceOnly ? 0x80 : 0) }

        init?(code: UInt8) {
            guard let availability = Availability(rawValue: code & 0x7F) else { return nil }
            self.init(availability, isThisDeviceOnly: code & 0x80 != 0)
        }
    }

    /// The class of an item.
    @nonexhaustive
    public enum Class: UInt8, Hashable, Sendable, CaseIterable {
        /// A password of a program.
        case genericPassword = 1
        /// A password or a token for a server or a proxy.
        case internetPassword = 2
        /// A certificate with a trust setting.
        case certificate = 3
        /// A certificate chain and its private key.
        case identity = 4
        /// A text with attachments.
        case note = 5
    }

    /// The class of an item, with the properties by which it is found.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A password of a program.
        case genericPassword(service: String, account: String)
        /// A password for a protection space, or a token if there is no user.
        case internetPassword(ProtectionSpace, user: String?)
        /// A certificate and its trust setting; the setting applies to the hosts, or to all hosts if the list is empty.
        case certificate(CertificateFacts, TrustSettings.Setting, hosts: [String])
        /// A certificate chain and its key; the hosts may receive the identity, or all hosts if the list is empty.
        case identity(CertificateFacts, hosts: [String])
        /// A text with attachments.
        case note

        /// The class of the item.
        public var itemClass: Class {
            switch self {
            case .genericPassword: .genericPassword
            case .internetPassword: .internetPassword
            case .certificate: .certificate
            case .identity: .identity
            case .note: .note
            }
        }
    }

    /// The properties by which a certificate is found.
    public struct CertificateFacts: Hashable, Sendable {
        /// The subject, in the form of RFC 4514.
        public let subject: String
        /// The issuer, in the form of RFC 4514.
        public let issuer: String
        /// The SHA-256 hash of the DER encoding, in lower-case hexadecimal.
        public let fingerprint: String
        /// The end of the validity period.
        public let notAfter: Date
    }

    /// The number of the item in the keychain.
    public let id: ID
    /// The label; may be empty.
    public let label: String
    /// The user's comment; may be empty.
    public let comment: String
    /// The time at which the item was added, in whole seconds.
    public let created: Date
    /// The time at which the item was last changed, in whole seconds.
    public let modified: Date
    /// The condition under which the secret can be read.
    public let accessibility: Accessibility
    /// The class of the item, with the properties by which it is found.
    public let kind: Kind
    /// Whether a server has rejected the internet password, which is then not used until it is changed.
    public let isRejected: Bool
    /// The number of times that the item was written.
    let version: Int64
}

/// The secret of an item.
@nonexhaustive
public enum ItemSecret: Hashable, Sendable {
    /// The password of a generic or internet password, or the token of an internet password.
    case password(Secret)
    /// The certificate of an item of ``KeychainItem/Class/certificate``.
    case certificate(Certificate)
    /// The certificate chain and the key of an item of ``KeychainItem/Class/identity``.
    case identity(Identity)
    /// The text of a note, and descriptions of its attachments.
    case note(Secret, attachments: [AttachmentFacts])

    /// The description of a note's attachment.
    public struct AttachmentFacts: Hashable, Sendable {
        /// The file name of the attachment.
        public let name: String
        /// The media type, such as `image/png` (RFC 6838); may be empty.
        public let mediaType: String
        /// The size in bytes.
        public let size: Int
        /// The SHA-256 hash of the attachment.
        let digest: [UInt8]
        /// The number of the first chunk among the chunks of the note.
        let firstChunk: Int64
    }
}

/// A query for items, which matches items by every property that is not `nil`.
///
/// Texts are compared completely and without regard to case. An empty text matches no item.
public struct KeychainQuery: Hashable, Sendable {
    /// The class of the items.
    public var itemClass: KeychainItem.Class?
    /// The protection space, of which every part must match.
    public var protectionSpace: ProtectionSpace?
    /// The host of an internet password, or one of those of a certificate or an identity.
    public var host: String?
    /// The account of a generic password, or the user of an internet password.
    public var account: String?
    /// The label of the item.
    public var label: String?
    /// The program or service of a generic password.
    public var service: String?
    /// The issuer of a certificate, in the form of RFC 4514.
    public var issuer: String?
    /// The subject of a certificate, in the form of RFC 4514.
    public var subject: String?
    /// The SHA-256 hash of a certificate, in hexadecimal with or without colons.
    public var fingerprint: String?

    /// Creates a query for all items of a class; for all items by default.
    public init(_ itemClass: KeychainItem.Class? = nil) { self.itemClass = itemClass }
}
