// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import HTTPTypes
internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ACMEServer {
    /// RFC 8555 section 7.1.1.
    var directory: ServerResponse {
        get throws {
            let meta = Directory.Meta(
                termsOfService: configuration.termsOfService, website: configuration.website,
                caaIdentities: configuration.caaIdentities.isEmpty ? nil : configuration.caaIdentities,
                externalAccountRequired: configuration.externalAccountKey == nil ? nil : true,
                profiles: configuration.profiles.isEmpty ? nil : configuration.profiles)
            let directory = Directory(
                newNonce: url(.newNonce), newAccount: url(.newAccount), newOrder: url(.newOrder),
                revokeCert: url(.revokeCertificate), keyChange: url(.keyChange),
                renewalInfo: url(.renewalInfo("")).trimmingLastSlash, meta: meta)
            return try ServerResponse(json: directory)
        }
    }

    /// RFC 9773 section 4.2, which everyone may ask for.
    func renewalInfo(_ id: String) async throws -> ServerResponse {
        guard let identifier = CertificateIdentifier(id) else {
            throw Refusal(.malformed, "This is no identifier of a certificate (RFC 9773 section 4.1).")
        }
        guard let found = try await issuer.certificate(identifier.number),
            CertificateIdentifier(found.certificate) == identifier
        else { throw Refusal.notFound("certificate") }
        let info =
            found.isRevoked
            ? RenewalInfo(revokedBefore: clock())
            : RenewalInfo(validFrom: found.certificate.notValidBefore, to: found.certificate.notValidAfter)
        return try ServerResponse(json: info).adding(.retryAfter, "21600")
    }
}

extension String {
    fileprivate var trimmingLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
