// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes

/// The view of a fetch on the page.
struct JobView {
    /// The view of a failure, according to the error catalogue.
    struct FailureView {
        let code: String
        let message: String
        let reason: String
        fileprivate(set) var advice: String

        init(_ failure: Failure) {
            var failure = failure
            // The command-line options do not apply to the page.
            failure.optionNames = []
            (code, message) = (failure.code, failure.message)
            (reason, advice) = (failure.explanation.reason, failure.advice(.web))
        }
    }

    /// The view of a question to the user.
    struct QuestionView {
        let number: Int
        let text: [String]
        let certificate: String
        let risk: String
        let user: String?
        let problem: String?
        let isTrust: Bool
        let isPassword: Bool
        let isToken: Bool
        let isIdentity: Bool
        let isUnlocking: Bool
        let hasPIN: Bool
        /// The offered identities of the keychain.
        private(set) var offers: [IdentityQuestion.Offer]
        private(set) var hasOffers: Bool
        private(set) var isFileChosen: Bool
        /// Whether the keychain is locked, so that it could offer more identities.
        private(set) var isLocked: Bool

        /// Removes the offers, because the keychain is now locked.
        mutating func removeOffers() { (offers, hasOffers, isFileChosen, isLocked) = ([], false, true, true) }

        init(_ question: Question) {
            number = question.number
            var (certificate, risk, user, problem) = ("", "", String?.none, String?.none)
            var (offers, isLocked, hasPIN) = ([IdentityQuestion.Offer](), false, false)
            switch question.kind {
            case .trust(let trust):
                text = [trust.finding]
                (certificate, risk) = (trust.certificate.joined(separator: "\n"), trust.risk)
            case .password(let question, let proposed):
                text = question.split(separator: "\n").map(String.init)
                user = proposed
            case .token(let question): text = question.split(separator: "\n").map(String.init)
            case .identity(let question):
                (text, problem, offers) = ([question.text], question.problem, question.offers)
                isLocked = question.isLocked
            case .unlock(let question):
                text = [
                    "Its distrusted certificates, pins and anchors count for this fetch. Nothing is sent before they are known."
                ]
                (problem, hasPIN) = (question.problem, question.hasPIN)
            }
            (self.certificate, self.risk, self.user, self.problem) = (certificate, risk, user, problem)
            (self.offers, self.isLocked, hasOffers) = (offers, isLocked, !offers.isEmpty)
            self.hasPIN = hasPIN
            isFileChosen = !offers.contains(where: \.isChosen)
            if case .trust = question.kind { isTrust = true } else { isTrust = false }
            if case .password = question.kind { isPassword = true } else { isPassword = false }
            if case .token = question.kind { isToken = true } else { isToken = false }
            if case .identity = question.kind { isIdentity = true } else { isIdentity = false }
            if case .unlock = question.kind { isUnlocking = true } else { isUnlocking = false }
        }
    }

    let number: Int
    let version: Int
    let url: String
    let summary: String
    let isRunning: Bool
    let isStopped: Bool
    let canResume: Bool
    let failure: FailureView?
    /// The beginning of an error response's body; `nil` if there is none, or it is not text.
    let errorBody: BodyText?
    let result: ResultView?
    let steps: [StepView]
    /// The event log; `nil` if the settings do not enable it.
    let log: String?
    var question: QuestionView?
    let progress: ProgressView
    /// The numbers of the document pages that are shown.
    var documentPages: [Int] = []
    /// Whether the document has more pages.
    var hasMorePages = false

    init(_ job: FetchJob, showsEvents: Bool) {
        let snapshot = job.snapshot
        (number, version, url) = (job.number, snapshot.version, job.url.droppingUserInfo)
        var (failure, result) = (FailureView?.none, ResultView?.none)
        var errorBody: BodyText?
        switch snapshot.stage {
        case .running: summary = snapshot.question == nil ? "Fetching" : "Waiting for your answer"
        case .stopped: summary = "Stopped"
        case .failed(let reason, let response):
            summary = "Failed"
            failure = FailureView(reason)
            errorBody = response?.shownText
            if errorBody != nil { failure?.advice = "Read below what the server sent instead." }
        case .done(let file, let status):
            summary = "Done"
            result = ResultView(file, status: status)
        }
        (self.failure, self.result, self.errorBody) = (failure, result, errorBody)
        if case .running = snapshot.stage { isRunning = true } else { isRunning = false }
        if case .stopped = snapshot.stage { isStopped = true } else { isStopped = false }
        canResume = isStopped || failure != nil
        steps = snapshot.events.enumerated().compactMap { StepView($0.element, at: $0.offset) }
        log = showsEvents ? snapshot.events.flatMap { $0.lines() }.joined(separator: "\n") : nil
        question = snapshot.question.map(QuestionView.init)
        progress = ProgressView(snapshot)
    }
}

extension ProgressView {
    init(_ snapshot: FetchJob.Snapshot) {
        let (completed, total) = (snapshot.progress.completed, snapshot.progress.total)
        let size = ProgressBar.size(completed)
        let isRunning = if case .running = snapshot.stage { true } else { false }
        self.init(
            version: snapshot.version, completed: completed, total: total,
            text: total.map { "\(size) of \(ProgressBar.size($0))" } ?? size, isRunning: isRunning)
    }
}

extension ResponseSummary {
    /// The beginning of the body, as text; `nil` if it is not text.
    fileprivate var shownText: BodyText? {
        let kind = ContentKind(contentType.map { [.contentType: $0] } ?? [:])
        guard !beginning.isEmpty, [.json, .text].contains(kind) else { return nil }
        return BodyText(beginning, contentType, isCut: beginning.count == Self.limit)
    }
}

/// One step in the timeline of a request.
struct StepView {
    let title: String
    let text: String
    let details: [String]
    /// The tone of the step: `good`, `bad`, `warning` or `plain`.
    let tone: String
    /// The index of the event whose verdict is drawn; `nil` for an event without a verdict.
    let picture: Int?
    let pictureText: String

    /// - Returns: The step, or `nil` for an event without new information.
    init?(_ event: SessionEvent, at index: Int) {
        let lines = event.lines()
        guard let first = lines.first else { return nil }
        var (tone, picture, pictureText) = ("plain", Int?.none, "")
        switch event.kind {
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
        case .notAnswered: (title, details, tone) = ("Challenge", Array(lines.dropFirst()), "warning")
        case .preempted: (title, details) = ("Challenge", Array(lines.dropFirst()))
        case .redirected: (title, details) = ("Redirect", Array(lines.dropFirst()))
        case .exchanged(let report):
            title = "Response"
            tone = report.response?.status.kind == .successful ? "good" : "warning"
            details = Array(lines.dropFirst())
        case .retrying: (title, details, tone) = ("Retry", Array(lines.dropFirst()), "warning")
        case .fetchedEvidence, .refusedEvidence: (title, details) = ("Evidence", Array(lines.dropFirst()))
        case .sending, .received, .failed: return nil
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
