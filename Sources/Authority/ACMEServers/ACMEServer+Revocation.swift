// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import CertificateTrust
internal import Encodings
internal import EssentialFoundation
internal import HTTPTypes
internal import SwiftASN1
internal import X509

/// The revocation resource (RFC 8555 section 7.6).
extension ACMEServer {
    private struct Revocation: Decodable {
        let certificate: String
        var reason: Int?
    }

    /// The reasons that a certificate's owner may give.
    ///
    /// Only the authority may give the others.
    private static let reasons: [Int: RevocationReason] = [
        0: .unspecified, 1: .keyCompromise, 3: .affiliationChanged, 4: .superseded, 5: .cessationOfOperation,
    ]

    func revoke(_ request: SignedRequest) async throws -> ACMEServerResponse {
        let wanted = try request.decode(Revocation.self)
        guard let der = Base64URL.decode(wanted.certificate), let certificate = try? Certificate(derEncoded: der) else {
            throw Refusal(.malformed, "The certificate cannot be read.")
        }
        guard let reason = Self.reasons[wanted.reason ?? 0] else {
            throw Refusal(.badRevocationReason, "The reason is 0, 1, 3, 4 or 5.")
        }
        guard let issued = try await issuer.certificate(certificate.serialNumber), issued.certificate == certificate
        else { throw Refusal.notFound("certificate") }
        try await requireRight(of: request.signer, over: certificate)
        guard !issued.isRevoked, try await issuer.revoke(certificate.serialNumber, reason: reason) else {
            throw Refusal(.alreadyRevoked, "The certificate was revoked before.")
        }
        return ACMEServerResponse()
    }

    /// Checks that the signer may revoke the certificate: its own key, the account that ordered it, or an account that
    /// is authorized for all of its names.
    private func requireRight(of signer: SignedRequest.Signer, over certificate: Certificate) async throws {
        let now = clock()
        switch signer {
        case .key(let key):
            if key.publicKey == certificate.publicKey { return }
        case .account(let account):
            let id = hex(certificate.serialNumber)
            guard let names = Self.identifiers(of: certificate) else { break }
            let mayRevoke = try await store.transact { records in
                if try records.find(CertificateRecord.self, id)?.account == account.id { return true }
                let valid = try records.list(AuthorizationRecord.self, group: account.id)
                    .filter { $0.status(at: now) == .valid }
                    .map {
                        ACMEIdentifier(
                            type: $0.identifier.type, value: ($0.isWildcard ? "*." : "") + $0.identifier.value)
                    }
                return !names.isEmpty && names.isSubset(of: valid)
            }
            if mayRevoke { return }
        }
        throw Refusal(.unauthorized, "Neither the account nor the key may revoke the certificate.")
    }

    static func identifiers(of certificate: Certificate) -> Set<ACMEIdentifier>? {
        var identifiers: Set<ACMEIdentifier> = []
        for name in (try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames() {
            let identifier: ACMEIdentifier? =
                switch name {
                case .dnsName(let name): ACMEIdentifier(name)
                case .ipAddress(let octets): ACMEIdentifier(IPAddressText.text(of: octets.bytes))
                default: nil
                }
            guard let identifier else { return nil }
            identifiers.insert(identifier)
        }
        return identifiers
    }
}

/// Returns a serial number in the form of the server's records and URLs: lowercase hexadecimal digits without
/// leading zeros.
func hex(_ number: Certificate.SerialNumber) -> String {
    let text = Hexadecimal.encode(number.bytes).drop { $0 == "0" }
    return text.isEmpty ? "0" : String(text)
}
