// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
internal import SwiftASN1
internal import X509

/// The URLs at which an authority publishes its certificate and revocation information.
///
/// Every certificate that the authority issues contains them, except the certificate of an OCSP responder.
public struct PublicationPoints: Hashable, Sendable {
    /// The URL of the revocation list, over plain http (RFC 5280 section 4.2.1.13); `nil` for none.
    public var revocationList: URL?
    /// The URL of the OCSP responder, over plain http (RFC 6960 section 3.1); `nil` for none.
    public var responder: URL?
    /// The URL of the authority's own certificate in DER (RFC 5280 section 4.2.2.1); `nil` for none.
    public var authorityCertificate: URL?

    /// Creates publication points, all of which are optional.
    ///
    /// - Parameters:
    ///   - revocationList: The URL of the revocation list.
    ///   - responder: The URL of the OCSP responder.
    ///   - authorityCertificate: The URL of the authority's certificate.
    public init(revocationList: URL? = nil, responder: URL? = nil, authorityCertificate: URL? = nil) {
        (self.revocationList, self.responder, self.authorityCertificate) =
            (revocationList, responder, authorityCertificate)
    }

    var extensions: [Certificate.Extension] {
        get throws {
            var extensions: [Certificate.Extension] = []
            var access: [AuthorityInformationAccess.AccessDescription] = []
            if let responder {
                access.append(
                    .init(method: .ocspServer, location: .uniformResourceIdentifier(responder.absoluteString)))
            }
            if let authorityCertificate {
                access.append(
                    .init(
                        method: .issuingCA, location: .uniformResourceIdentifier(authorityCertificate.absoluteString)))
            }
            if !access.isEmpty { extensions.append(try .init(AuthorityInformationAccess(access), critical: false)) }
            if let revocationList { extensions.append(try Self.distributionPoint(revocationList)) }
            return extensions
        }
    }

    /// Creates a CRLDistributionPoints extension with one point that has one full name.
    private static func distributionPoint(_ url: URL) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { points in
            try points.appendConstructedNode(identifier: .sequence) { point in
                try point.explicit(0) { name in
                    try name.explicit(0) { try $0.serialize(GeneralName.uniformResourceIdentifier(url.absoluteString)) }
                }
            }
        }
        return Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: serializer.serializedBytes[...])
    }
}

extension DER.Serializer {
    /// Writes the closure's output inside a constructed context-specific tag.
    mutating func explicit(_ number: UInt, _ body: (inout DER.Serializer) throws -> Void) throws {
        try appendConstructedNode(identifier: ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific), body)
    }
}
