// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import SwiftASN1
package import X509

extension Identifier {
    /// The names that a certificate is for, in their one spelling; a name of another kind counts as an identifier that no client orders.
    package static func all(in certificate: Certificate) -> Set<Identifier> {
        let names = (try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames()
        return Set(
            names.map { name in
                switch name {
                case .dnsName(let text): Identifier(text) ?? Identifier(type: .dns, value: text)
                case .ipAddress(let octets): Identifier(type: .ip, value: IPAddressText.text(of: octets.bytes))
                default: Identifier(type: .dns, value: "\(name)")
                }
            })
    }
}
