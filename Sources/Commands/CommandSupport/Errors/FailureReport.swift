// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import ErrorExplanations
package import CertificateTrust

/// An error as JSON has it; it has the same form in every command.
package struct FailureReport: Encodable {
    package struct Contents: Encodable {
        package let code: String
        package let stage: String
        package let message: String
        package let reason: String
        package let advice: String
        /// What the command was about, without secrets; `nil` where that is no URL and no server.
        package private(set) var url: String?
        /// The server or the proxy that it is about.
        package let peer: String?
        /// Where the server is not trusted.
        package let verdict: VerdictRecord?
        /// Where a policy file is at fault.
        package let place: PlaceReport?

        package func about(_ url: String) -> Self {
            var copy = self
            copy.url = url
            return copy
        }

        fileprivate init(_ failure: Failure, url: String?) {
            (code, stage) = (failure.code, failure.explanation.stage)
            (message, reason, advice) = (failure.message, failure.explanation.reason, failure.advice)
            self.url = url
            peer = failure.peer?.description
            verdict = failure.verdict.map(VerdictRecord.init)
            place = failure.place.map(PlaceReport.init)
        }
    }

    package let error: Contents
    /// The certificates that the report refers to by their fingerprints.
    package let certificates: [CertificateSummary]?
    /// Of a request: what was found out before it failed.
    package let tls: TLSReport?
    package let challenges: [ChallengeReport]?

    package init(_ failure: Failure, under circumstances: Circumstances? = nil, about url: String? = nil) {
        error = Contents(failure, url: circumstances?.url ?? url)
        tls = circumstances?.tls
        challenges = circumstances?.challenges
        var list = CertificateList(failure.verdict?.certificates.all ?? [])
        list.add(tls?.certificates.all ?? [])
        certificates = list.all.isEmpty ? nil : list.all
    }
}
