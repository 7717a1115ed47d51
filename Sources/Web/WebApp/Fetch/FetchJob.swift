// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSupport
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers

/// One fetch: what happened until now, what it waits for, and what it came to.
final class FetchJob: Sendable {
    enum Stage: Sendable {
        case running
        /// It can go on from where it is.
        case stopped
        /// With the response, where a server answered with an error.
        case failed(Failure, ResponseSummary? = nil)
        case done(DownloadedFile, status: String)
    }

    /// What is known at one instant.
    struct Snapshot: Sendable {
        fileprivate(set) var stage = Stage.stopped
        fileprivate(set) var events: [SessionEvent] = []
        fileprivate(set) var progress = TransferProgress(completed: 0, total: nil)
        fileprivate(set) var question: Question?
        /// It grows with each change but those of the progress.
        fileprivate(set) var version = 0
    }

    private struct State {
        var snapshot = Snapshot()
        var answering: CheckedContinuation<Question.Answer, Never>?
        var questionCount = 0
        var task: Task<Void, Never>?
        /// What a person accepted since the work began, so that a redirect asks nothing again.
        var acceptedServers: [ProtectionSpace: PresentedChain] = [:]
    }

    /// More is forgotten from the middle of a long run of redirects.
    private static let eventLimit = 200

    let number: Int
    let url: String
    /// Where the file appears.
    let path: String
    private let state = NIOLockedValueBox(State())
    let watchers = Watchers()
    /// Of the document that came; `nil` before they were counted.
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
        watchers.tell()
    }

    /// Stops the work, and returns when it has ended.
    func stop() async {
        let task = state.withLockedValue { $0.task }
        task?.cancel()
        await task?.value
    }

    func note(_ event: SessionEvent) {
        change { snapshot in
            if snapshot.events.count < Self.eventLimit { snapshot.events.append(event) }
        }
    }

    func noteAccepted(_ chain: PresentedChain, from space: ProtectionSpace) {
        state.withLockedValue { $0.acceptedServers[space] = chain }
    }

    func hasAccepted(_ chain: PresentedChain, from space: ProtectionSpace) -> Bool {
        state.withLockedValue { $0.acceptedServers[space] == chain }
    }

    func note(_ progress: TransferProgress) {
        state.withLockedValue { $0.snapshot.progress = progress }
        watchers.tell()
    }

    // MARK: Questions

    /// Waits for a person's answer, which may take as long as it takes.
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
                watchers.tell()
                // A cancellation may have come between the look at it and the question.
                if Task.isCancelled { settle(nil, .declined) }
            }
        } onCancel: {
            settle(nil, .declined)
        }
    }

    /// Gives a person's answer to the question of that number.
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
        watchers.tell()
    }

    private func change(_ body: (inout Snapshot) -> Void) {
        state.withLockedValue { state in
            body(&state.snapshot)
            state.snapshot.version += 1
        }
        watchers.tell()
    }
}

extension FetchJob {
    /// The status of the last response.
    var lastStatus: String? {
        for case .exchanged(let report) in snapshot.events.reversed() { return report.response?.status.text }
        return nil
    }

    /// The file, once it came whole.
    var file: DownloadedFile? {
        if case .done(let file, _) = snapshot.stage { file } else { nil }
    }

    /// The file, where it is a document in PDF that is not too long to be shown.
    var document: DownloadedFile? {
        guard let file, ContentKind(file.headerFields) == .pdf, file.length <= RequestGuard.largestPicture else {
            return nil
        }
        return file
    }

    /// The number of pages of the document; 0 where there is none, or it cannot be shown.
    var pageCount: Int {
        get async {
            guard let document else { return 0 }
            if let known = countedPages.withLockedValue({ $0 }) { return known }
            let count = await PictureScaler.pageCount(
                ofPDF: FilePrefix.read(document.path, upTo: RequestGuard.largestPicture))
            countedPages.withLockedValue { $0 = count }
            return count
        }
    }

    /// Removes what was fetched, whole or in part.
    func removeFile() {
        for ending in ["", ".part", ".part-note"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }

    /// The name to keep the file under: the last part of its URL, in letters, digits, dots and dashes alone.
    var fileName: String {
        let place = (file?.url ?? url).prefix { $0 != "?" && $0 != "#" }
        let last = place.split(separator: "/").dropFirst(2).last ?? ""
        let text = last.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }.drop { $0 == "." }
        return text.isEmpty ? "download" : String(text.prefix(100))
    }
}
