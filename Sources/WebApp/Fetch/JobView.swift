// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes

/// A fetch as the page shows it.
struct JobView {
    /// What went wrong, by the catalogue of errors.
    struct FailureView {
        let code: String
        let message: String
        let reason: String
        let advice: String

        init(_ failure: Failure) {
            var failure = failure
            // The options of the command are none of the page's.
            failure.optionNames = []
            (code, message) = (failure.code, failure.message)
            (reason, advice) = (failure.explanation.reason, failure.advice)
        }
    }

    /// What a person is asked.
    struct QuestionView {
        let number: Int
        let text: [String]
        let certificate: String
        let risk: String
        let user: String?
        let flaw: String?
        let isTrust: Bool
        let isPassword: Bool
        let isToken: Bool
        let isIdentity: Bool

        init(_ question: Question) {
            number = question.number
            var (certificate, risk, user, flaw) = ("", "", String?.none, String?.none)
            switch question.kind {
            case .trust(let trust):
                text = [trust.finding]
                (certificate, risk) = (trust.certificate.joined(separator: "\n"), trust.risk)
            case .password(let question, let proposed):
                text = question.split(separator: "\n").map(String.init)
                user = proposed
            case .token(let question): text = question.split(separator: "\n").map(String.init)
            case .identity(let question, let reason): (text, flaw) = ([question], reason)
            }
            (self.certificate, self.risk, self.user, self.flaw) = (certificate, risk, user, flaw)
            if case .trust = question.kind { isTrust = true } else { isTrust = false }
            if case .password = question.kind { isPassword = true } else { isPassword = false }
            if case .token = question.kind { isToken = true } else { isToken = false }
            if case .identity = question.kind { isIdentity = true } else { isIdentity = false }
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
    let result: ResultView?
    let steps: [StepView]
    /// `nil` where the settings do not ask for it.
    let log: String?
    let question: QuestionView?
    let progress: ProgressView
    /// The numbers of the pages of a document that are shown.
    var documentPages: [Int] = []
    /// Whether the document has more pages.
    var hasMorePages = false

    init(_ job: FetchJob, showsEvents: Bool) {
        let snapshot = job.snapshot
        (number, version, url) = (job.number, snapshot.version, job.url.droppingUserInfo)
        var (failure, result) = (FailureView?.none, ResultView?.none)
        switch snapshot.stage {
        case .running: summary = snapshot.question == nil ? "Fetching" : "Waiting for your answer"
        case .stopped: summary = "Stopped"
        case .failed(let reason):
            summary = "Failed"
            failure = FailureView(reason)
        case .done(let file, let status):
            summary = "Done"
            result = ResultView(file, status: status)
        }
        (self.failure, self.result) = (failure, result)
        if case .running = snapshot.stage { isRunning = true } else { isRunning = false }
        if case .stopped = snapshot.stage { isStopped = true } else { isStopped = false }
        canResume = isStopped || failure != nil
        steps = snapshot.events.enumerated().compactMap { StepView($0.element, at: $0.offset) }
        log = showsEvents ? snapshot.events.flatMap { $0.lines() }.joined(separator: "\n") : nil
        question = snapshot.question.map(QuestionView.init)
        progress = ProgressView(snapshot)
    }
}

/// How far a fetch is, on the page and in the events that it gets.
struct ProgressView: Encodable {
    let version: Int
    let completed: Int
    /// In bytes; `nil` where the server did not say.
    let total: Int?
    let text: String
    let isRunning: Bool

    init(_ snapshot: FetchJob.Snapshot) {
        version = snapshot.version
        (completed, total) = (snapshot.progress.completed, snapshot.progress.total)
        let size = ProgressBar.size(completed)
        text = total.map { "\(size) of \(ProgressBar.size($0))" } ?? size
        if case .running = snapshot.stage { isRunning = true } else { isRunning = false }
    }
}
