// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSupport
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers

/// One fetch: its events, its pending question, and its outcome.
final class FetchJob: Sendable {
    enum Stage: Sendable {
        case running
        /// The fetch was stopped, and can be resumed.
        case stopped
        /// The fetch failed. Holds the response if a server answered with an error.
        case failed(Failure, ResponseSummary? = nil)
        case done(DownloadedFile, status: String)
    }

    /// The state of a fetch at one moment.
    struct Snapshot: Sendable {
        fileprivate(set) var stage = Stage.stopped
        fileprivate(set) var events: [SessionEvent] = []
        fileprivate(set) var progress = TransferProgress(completed: 0, total: nil)
        fileprivate(set) var question: Question?
        /// The version, which increases with each change except progress.
        fileprivate(set) var version = 0
    }

    private struct State {
        var snapshot = Snapshot()
        var answering: CheckedContinuation<Question.Answer, Never>?
        var questionCount = 0
        var task: Task<Void, Never>?
        /// The server chains that the user accepted since the fetch began, so that a redirect does not ask again.
        var acceptedServers: [ProtectionSpace: PresentedChain] = [:]
    }

    /// The maximum number of stored events, which only a long series of redirects exceeds.
    private static let eventLimit = 200

    let number: Int
    let url: String
    /// The path at which the complete file appears.
    let path: String
    private let state = NIOLockedValueBox(State())
    let observers = ChangeObservers()
    /// The number of pages of the fetched document; `nil` until they are counted.
    let countedPages = NIOLockedValueBox<Int?>(nil)

    init(number: Int, url: String, path: String) { (self.number, self.url, self.path) = (number, url, path) }

    var snapshot: Snapshot { state.withLockedValue { $0.snapshot } }

    var isRunning: Bool {
        if case .running = snapshot.stage { true } else { false }
    }

    // MARK: Running

    /// Runs the work, which may be stopped and run again.
    func run(_ work: @escaping @Sendable () async -> Stage) {
        state.withLockedValue { state in
            (state.snapshot.stage, state.snapshot.events) = (.running, [])
            state.snapshot.version += 1
            state.acceptedServers = [:]
            state.task = Task { [self] in
                let stage = await work()
                change { $0.stage = stage }
            }
        }
        observers.notify()
    }

    /// Stops the work, and waits for its end.
    func stop() async {
        let task = state.withLockedValue { $0.task }
        task?.cancel()
        await task?.value
    }

    func note(_ event: SessionEvent) {
        // The page shows exchanges.
        switch event.kind {
        case .sending, .received: return
        default: break
        }
        change { snapshot in
            if snapshot.events.count < Self.eventLimit { snapshot.events.append(event) }
        }
    }

    func recordAccepted(_ chain: PresentedChain, from space: ProtectionSpace) {
        state.withLockedValue { $0.acceptedServers[space] = chain }
    }

    func hasAccepted(_ chain: PresentedChain, from space: ProtectionSpace) -> Bool {
        state.withLockedValue { $0.acceptedServers[space] == chain }
    }

    func note(_ progress: TransferProgress) {
        state.withLockedValue { $0.snapshot.progress = progress }
        observers.notify()
    }

    // MARK: Questions

    /// Asks the user a question, and waits for the answer without a timeout.
    func ask(_ kind: Question.Kind) async -> Question.Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .declined) }
                let earlier = state.withLockedValue { state in
                    state.questionCount += 1
                    state.snapshot.question = Question(number: state.questionCount, kind: kind)
                    state.snapshot.version += 1
                    defer { state.answering = continuation }
                    return state.answering
                }
                earlier?.resume(returning: .declined)
                observers.notify()
                // The task may have been cancelled between the check above and the question.
                if Task.isCancelled { settle(nil, .declined) }
            }
        } onCancel: {
            settle(nil, .declined)
        }
    }

    /// Passes the user's answer to the question with this number.
    func answer(_ number: Int, _ answer: Question.Answer) { settle(number, answer) }

    private func settle(_ number: Int?, _ answer: Question.Answer) {
        let waiting = state.withLockedValue { state -> CheckedContinuation<Question.Answer, Never>? in
            guard number == nil || state.snapshot.question?.number == number else { return nil }
            state.snapshot.question = nil
            state.snapshot.version += 1
            defer { state.answering = nil }
            return state.answering
        }
        waiting?.resume(returning: answer)
        observers.notify()
    }

    private func change(_ body: (inout Snapshot) -> Void) {
        state.withLockedValue { state in
            body(&state.snapshot)
            state.snapshot.version += 1
        }
        observers.notify()
    }
}

extension FetchJob {
    /// The status of the last response.
    var lastStatus: String? {
        for case .exchanged(let report) in snapshot.events.lazy.map(\.kind).reversed() {
            return report.response?.status.text
        }
        return nil
    }

    /// The complete file.
    var file: DownloadedFile? {
        if case .done(let file, _) = snapshot.stage { file } else { nil }
    }

    /// The file, if it is a PDF document within the size limit.
    var document: DownloadedFile? {
        guard let file, ContentKind(file.headerFields) == .pdf, file.length <= RequestGuard.maximumPictureSize else {
            return nil
        }
        return file
    }

    /// The number of pages of the document; 0 if there is none, or it cannot be shown.
    var pageCount: Int {
        get async {
            guard let document else { return 0 }
            if let known = countedPages.withLockedValue({ $0 }) { return known }
            let count = await PictureScaler.pageCount(
                ofPDF: FilePrefix.read(document.path, upTo: RequestGuard.maximumPictureSize))
            countedPages.withLockedValue { $0 = count }
            return count
        }
    }

    /// Removes the complete or partial file.
    func removeFile() {
        for suffix in ["", ".part", ".part-note"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// The suggested file name: the last part of the URL, reduced to letters, digits, dots, underscores and dashes.
    var fileName: String {
        let place = (file?.url ?? url).prefix { $0 != "?" && $0 != "#" }
        let last = place.split(separator: "/").dropFirst(2).last ?? ""
        let text = last.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }.drop { $0 == "." }
        return text.isEmpty ? "download" : String(text.prefix(100))
    }
}
