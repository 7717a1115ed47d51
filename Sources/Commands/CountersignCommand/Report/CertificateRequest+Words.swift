// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Challenges
import X509

extension CertificateRequest {
    /// The names of the acceptable issuers, in text that is safe to print; `nil` where they are not known.
    var issuerNames: [String]? { acceptableIssuers?.map(\.description.printable) }
}
