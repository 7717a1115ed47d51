// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The status of a certificate by one list, or by one answer of a responder, and when it was issued.
struct RevocationStatement {
    let status: RevocationStatus
    var issued = Date.distantPast
}

extension [RevocationStatement] {
    /// All of them together: any that shows the certificate revoked decides.
    ///
    /// The exception is a hold, the one revocation that ends (RFC 5280 section 5.3.1): a later statement that the certificate is good has
    /// released it.
    var status: RevocationStatus {
        let good = filter { if case .good = $0.status { true } else { false } }.map(\.issued).max()
        return reduce(.absent) { status, one in
            if case .revoked(_, .certificateHold) = one.status, let good, one.issued < good { return status }
            return status.combined(with: one.status)
        }
    }
}
