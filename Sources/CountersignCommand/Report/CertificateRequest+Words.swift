// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Challenges
import X509

extension CertificateRequest {
    /// Some servers name every authority of the public web.
    private static let shownIssuers = 5

    /// The names of the acceptable issuers, in text that is safe to print; `nil` where they are not known.
    var issuerNames: [String]? { acceptableIssuers?.map(\.description.printable) }

    /// "issued by A, or B", and so on to the first few; `nil` where the server named none or it is not known.
    var issuerWords: String? {
        guard let names = issuerNames, !names.isEmpty else { return nil }
        let rest = names.count - Self.shownIssuers
        let others = rest > 0 ? ["one of \(rest) more"] : []
        return "issued by " + (names.prefix(Self.shownIssuers) + others).joined(separator: ", or ")
    }
}
