// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges

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
