// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes

/// One step of a request's way, as the page lists it.
struct StepView {
    let title: String
    let text: String
    let details: [String]
    /// `good`, `bad`, `warning` or `plain`.
    let tone: String
    /// The place of the event whose verdict is drawn; `nil` where it has none.
    let picture: Int?
    let pictureText: String

    /// - Returns: `nil` for an event that says nothing new of the way.
    init?(_ event: SessionEvent, at index: Int) {
        let lines = event.lines()
        guard let first = lines.first else { return nil }
        var (tone, picture, pictureText) = ("plain", Int?.none, "")
        switch event {
        case .connected(let report):
            title = "Connection"
            tone = report.tls == nil ? "warning" : "good"
            let version = report.httpVersion == .http2 ? "HTTP/2" : "HTTP/1.1"
            details = [report.peerAddress.map { "address \($0)" }, version].compactMap { $0 }
        case .challenged(let challenge, let answer):
            if case .serverTrust(_, let verdict) = challenge.statement {
                title = "Trust"
                (picture, pictureText) = (index, verdict.pictureText)
                let explanation = verdict.explanation(of: challenge.space.subject)
                details = explanation.map { [$0.message, $0.reason] } ?? [verdict.explanation]
                tone = verdict.headline.ink == .green ? "good" : verdict.isTrusted ? "bad" : answer.tone
            } else {
                title = "Challenge"
                details = Array(lines.dropFirst())
                tone = answer.tone
            }
        case .methodsNotAllowed, .credentialStoreFailed:
            (title, details, tone) = ("Challenge", Array(lines.dropFirst()), "bad")
        case .preempted: (title, details) = ("Challenge", Array(lines.dropFirst()))
        case .redirected: (title, details) = ("Redirect", Array(lines.dropFirst()))
        case .exchanged(let report):
            title = "Response"
            tone = report.response?.status.kind == .successful ? "good" : "warning"
            details = Array(lines.dropFirst())
        case .retrying: (title, details, tone) = ("Retry", Array(lines.dropFirst()), "warning")
        case .fetchedEvidence, .refusedEvidence: (title, details) = ("Evidence", Array(lines.dropFirst()))
        }
        text = first
        (self.tone, self.picture, self.pictureText) = (tone, picture, pictureText)
    }
}

extension Verdict {
    fileprivate var pictureText: String {
        let count = paths.count
        return "Verdict: \(headline.word). \(count) \(count == 1 ? "path was" : "paths were") tried."
    }
}

extension SessionEvent.Answer {
    fileprivate var tone: String {
        switch self {
        case .trusted: "good"
        case .used(let credential): if case .serverTrust = credential.kind { "warning" } else { "good" }
        case .performedDefault, .rejectedProtectionSpace: "warning"
        case .cancelled, .repeatedRejectedCredential, .limitReached: "bad"
        }
    }
}
