// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import ErrorExplanations
import CertificateTrust

/// An error as JSON has it; it has the same form in every command.
struct FailureReport: Encodable {
    struct Contents: Encodable {
        let code: String
        let stage: String
        let message: String
        let reason: String
        let advice: String
        /// What the command was about, without secrets; `nil` where that is no URL and no server.
        private(set) var url: String?
        /// The server or the proxy that it is about.
        let peer: String?
        /// Where the server is not trusted.
        let verdict: VerdictRecord?
        /// Where a policy file is at fault.
        let place: PlaceReport?

        func about(_ url: String) -> Self {
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

    let error: Contents
    /// The certificates that the report refers to by their fingerprints.
    let certificates: [CertificateSummary]?
    /// Of a request: what was found out before it failed.
    let tls: TLSReport?
    let challenges: [ChallengeReport]?

    init(_ failure: Failure, under circumstances: Circumstances? = nil, about url: String? = nil) {
        error = Contents(failure, url: circumstances?.url ?? url)
        tls = circumstances?.tls
        challenges = circumstances?.challenges
        var list = CertificateList(failure.verdict?.certificates.all ?? [])
        list.add(tls?.certificates.all ?? [])
        certificates = list.all.isEmpty ? nil : list.all
    }
}
