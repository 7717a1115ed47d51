// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
public import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A certificate revocation list (RFC 5280 section 5), read but not yet judged.
public struct CertificateRevocationList: Hashable, Sendable {
    private static let label = "X509 CRL"
    private static let version2: [UInt8] = [1]

    /// The list as it came.
    public let derBytes: [UInt8]
    /// The issuer of the list, which is the issuer of the certificates that it revokes unless the list is indirect.
    public let issuer: DistinguishedName
    /// When the list was issued.
    public let thisUpdate: Date
    /// The latest time at which the issuer publishes the next list; `nil` where the list states none.
    public let nextUpdate: Date?
    /// The issuer in the form in which names are compared.
    let issuerKey: NameKey
    let signed: SignedObject
    let isVersion2: Bool
    /// Whether all of it is as DER and the standard have it; otherwise it cannot show that a certificate is good.
    let isFormal: Bool
    let entries: RevokedEntries
    let extensions: [EncodedExtension]

    /// Reads a list, stepping over every entry once.
    ///
    /// A list whose entries can be read is read in spite of formal faults, such as extensions in version 1: it can still show that a
    /// certificate is revoked.
    ///
    /// - Parameter derEncoded: The list in DER, and nothing after it.
    /// - Throws: ``RevocationEncodingError`` where its entries cannot be read, or it has too many extensions.
    public init(derEncoded: [UInt8]) throws(RevocationEncodingError) {
        derBytes = derEncoded
        var outer = DERReader(derEncoded[...])
        var parts = try outer.open(DERTag.sequence, .structure)
        try outer.finish(.structure)
        signed = try SignedObject(from: &parts)
        try parts.finish(.structure)
        var signedReader = DERReader(signed.signedBytes)
        var fields = try signedReader.open(DERTag.sequence, .structure)

        var isFormal = true
        isVersion2 = fields.rest.first == DERTag.integer
        if isVersion2, try !fields.take(DERTag.integer, .version).content.elementsEqual(Self.version2) {
            isFormal = false
        }
        // The same algorithm inside of what is signed (section 5.1.1.2).
        if try fields.take(DERTag.sequence, .algorithm).bytes != signed.algorithm { isFormal = false }
        let encodedIssuer = try fields.take(DERTag.sequence, .issuer).bytes
        (issuer, issuerKey) = (try DistinguishedName(encodedIssuer, .issuer), NameKey(encodedIssuer))
        thisUpdate = try fields.takeTime(&isFormal)
        let hasNext = [DERTag.utcTime, DERTag.generalizedTime].contains(fields.rest.first)
        nextUpdate = hasNext ? try? fields.takeTime(&isFormal) : nil
        entries = try RevokedEntries(fields.takeIfPresent(DERTag.sequence, .entry)?.content ?? [])
        extensions = try EncodedExtension.all(tagged: 0, in: &fields, &isFormal)
        if let nextUpdate, nextUpdate < thisUpdate { isFormal = false }
        if !isVersion2, !extensions.isEmpty || entries.hasExtensions { isFormal = false }
        self.isFormal = isFormal && entries.isFormal && fields.isAtEnd
    }

    /// Reads a list from PEM.
    ///
    /// - Parameter pemEncoded: One block with the label `X509 CRL` (RFC 7468 section 6).
    /// - Throws: ``RevocationEncodingError/notPEM`` where there is no such block, and the errors of ``init(derEncoded:)``.
    public init(pemEncoded: String) throws(RevocationEncodingError) {
        guard let document = try? PEMDocument(pemString: pemEncoded), document.discriminator == Self.label else {
            throw .notPEM
        }
        try self.init(derEncoded: document.derBytes)
    }

    /// Reads the lists of a file.
    ///
    /// - Parameter file: A list in DER, or blocks of PEM with the label `X509 CRL`, and any text around them.
    /// - Returns: The lists, at least one.
    /// - Throws: The errors of ``init(pemEncoded:)``.
    package static func all(in file: [UInt8]) throws(RevocationEncodingError) -> [CertificateRevocationList] {
        guard file.first != DERTag.sequence else { return [try CertificateRevocationList(derEncoded: file)] }
        let blocks = (try? PEMDocument.parseMultiple(pemString: String(decoding: file, as: UTF8.self))) ?? []
        var lists: [CertificateRevocationList] = []
        for block in blocks where block.discriminator == label {
            lists.append(try CertificateRevocationList(derEncoded: block.derBytes))
        }
        guard !lists.isEmpty else { throw .notPEM }
        return lists
    }

    /// Whether two lists are the same bytes.
    public static func == (one: Self, two: Self) -> Bool { one.derBytes == two.derBytes }

    /// Hashes the signature; equality compares all bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(signed.signature)
    }
}
