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
    /// The number of an item in its keychain, from 1; no later item gets the same number.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The number.
        public let number: Int64

        /// Makes the identifier of a number.
        public init(_ number: Int64) { self.number = number }

        /// The number in decimal.
        public var description: String { String(number) }

        /// Compares the numbers, so that older items come first.
        public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    /// When and where an item's secret can be read, in the terms of Apple's keychain.
    public struct Accessibility: Hashable, Sendable {
        /// The time at which it can be read.
        public enum Availability: UInt8, Hashable, Sendable, CaseIterable {
            /// The secret can be read for some minutes after an unlock.
            case whenUnlocked = 1
            /// The secret can be read from an unlock until the keychain is locked.
            case afterFirstUnlock = 2
        }

        /// The time at which it can be read.
        public let availability: Availability
        /// Whether it can be read only with the ``DeviceSecret`` of the device where it was added.
        public let isThisDeviceOnly: Bool

        private init(_ availability: Availability, isThisDeviceOnly: Bool = false) {
            (self.availability, self.isThisDeviceOnly) = (availability, isThisDeviceOnly)
        }

        /// The secret can be read for some minutes after an unlock.
        public static let whenUnlocked = Self(.whenUnlocked)
        /// The secret can be read from an unlock until the keychain is locked, so also by programs that run unattended.
        public static let afterFirstUnlock = Self(.afterFirstUnlock)
        /// The same availability, on this device only.
        public var thisDeviceOnly: Self { Self(availability, isThisDeviceOnly: true) }

        var code: UInt8 { availability.rawValue | (isThisDeviceOnly ? 0x80 : 0) }

        init?(code: UInt8) {
            guard let availability = Availability(rawValue: code & 0x7F) else { return nil }
            self.init(availability, isThisDeviceOnly: code & 0x80 != 0)
        }
    }

    /// The classes of items.
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
    public enum Kind: Hashable, Sendable {
        /// A password of a program.
        case genericPassword(service: String, account: String)
        /// A password for a protection space, or a token where there is no user.
        case internetPassword(ProtectionSpace, user: String?)
        /// A certificate and its setting; the hosts are those to which the setting applies, empty for all.
        case certificate(CertificateFacts, TrustSettings.Setting, hosts: [String])
        /// A certificate chain and its key; the hosts are those that may get the identity, empty for all.
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
        /// SHA-256 of its DER, in lower-case hexadecimal.
        public let fingerprint: String
        /// The end of its validity.
        public let notAfter: Date
    }

    /// The number of the item in the keychain.
    public let id: ID
    /// The label; may be empty.
    public let label: String
    /// The owner's comment; may be empty.
    public let comment: String
    /// When the item was added, to the second.
    public let created: Date
    /// When the item was last changed, to the second.
    public let modified: Date
    /// When and where its secret can be read.
    public let accessibility: Accessibility
    /// The class of the item, with the properties by which it is found.
    public let kind: Kind
    /// Whether a server has rejected the internet password, so that it is not offered until it is changed.
    public let isRejected: Bool
    /// How often it was written.
    let version: Int64
}

/// The secret of an item.
public enum ItemSecret: Hashable, Sendable {
    /// The password of a generic or an internet password, or the token of the latter.
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
        /// SHA-256 of its bytes.
        let digest: [UInt8]
        /// The number of its first chunk among those of the note.
        let firstChunk: Int64
    }
}

/// A query for items, which finds those that match every property that is not `nil`.
///
/// Texts are compared as wholes, without regard to case. An empty text matches no item.
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
    /// A certificate's issuer, as RFC 4514 writes it.
    public var issuer: String?
    /// A certificate's subject, as RFC 4514 writes it.
    public var subject: String?
    /// SHA-256 of a certificate, in hexadecimal with or without colons.
    public var fingerprint: String?

    /// Makes a query for all items of a class; for all items by default.
    public init(_ itemClass: KeychainItem.Class? = nil) { self.itemClass = itemClass }
}
