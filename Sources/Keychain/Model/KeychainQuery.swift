// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges

/// Which items are sought: those that have all that is named; all items where nothing is.
///
/// Texts are compared as wholes, without regard to case.
public struct KeychainQuery: Hashable, Sendable {
    /// The items' class.
    public var itemClass: KeychainItem.Class?
    /// The protection space, of which every part must match.
    public var protectionSpace: ProtectionSpace?
    /// The host of an internet password, or one of an identity's.
    public var host: String?
    /// The account of a password.
    public var account: String?
    /// The label of the item.
    public var label: String?
    /// The program of a generic password.
    public var service: String?
    /// A certificate's issuer, as RFC 4514 writes it.
    public var issuer: String?
    /// A certificate's subject, as RFC 4514 writes it.
    public var subject: String?
    /// SHA-256 of a certificate, in hexadecimal with or without colons.
    public var fingerprint: String?

    /// Seeks all items of a class, or all.
    public init(_ itemClass: KeychainItem.Class? = nil) { self.itemClass = itemClass }
}
