// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import CommandSupport
import ErrorExplanations
import X509

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension CertificateSummary {
    /// Whole days until it ends, or since it ended.
    package func days(to time: Date) -> Int { Int(abs(notAfter.timeIntervalSince(time)) / 86_400) }

    /// The common name, or the whole subject where there is none.
    package var shortName: String {
        let names = subjectName.joined().filter { $0.type == .RDNAttributeType.commonName }
        let name = names.last.flatMap { String($0.value) }?.printable ?? ""
        return name.isEmpty ? (subject.isEmpty ? "(no subject)" : subject) : name
    }

    /// How long it is still valid, and how alarming that is.
    package func validity(at time: Date) -> (text: String, ink: Ink?) {
        let days = days(to: time)
        if time < notBefore {
            return ("not yet valid", .red)
        } else if time > notAfter {
            return (days == 0 ? "ended today" : "ended \(days) \(days == 1 ? "day" : "days") ago", .red)
        }
        return ("\(days) \(days == 1 ? "day" : "days") left", days < 30 ? .yellow : nil)
    }
}
