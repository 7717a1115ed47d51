// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import SwiftASN1
import X509

extension CertificateRequest {
    static let whoseIssuersAreUnknown = Self(acceptableIssuers: nil)

    /// One name that cannot be read makes all unknown: it may be the one that a person has a certificate of.
    init(_ request: IdentityRequest) {
        self.init(
            acceptableIssuers: try? request.issuers?.names.map { try DistinguishedName(derEncoded: DER.parse($0)) })
    }
}
