// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// A complete download, with as many requests as it needs.
struct DownloadRun {
    /// The bytes of a representation that an earlier request stored.
    struct Part {
        /// The number of bytes, at least 1.
        let length: Int
        let note: ResumptionNote
    }

    let session: any RequestSender
    let request: SessionRequest
    let path: String
    let conflict: DownloadConflict
    let resumptions: Int
    /// Whether a file that another program left incomplete at the path is continued.
    var adopts = false
    let report: @Sendable (TransferProgress) -> Void

    func run() async throws -> DownloadedFile {
        let url = try HTTPURL.parse(request.url).url.description
        if adopts, isResumable {
            let adoption = Adoption(session: session, request: request, path: path, url: url)
            if let complete = try await adoption.run() { return complete }
        }
        let file = try await PartialFile.open(for: path, of: url, onConflict: conflict)
        do {
            return try await run(file)
        } catch {
            // A cancelled task cleans up too.
            await Task { await file.leave(canResume: Self.canResume(error)) }.value
            throw error
        }
    }

    private func run(_ file: PartialFile) async throws -> DownloadedFile {
        var part = try await part(in: file)
        let end = request.totalTimeout.map { ContinuousClock.now + $0 }
        var interruptions = 0
        while true {
            do {
                let exchange = DownloadExchange(file: file, part: part, isResumable: isResumable, report: report)
                var request = request
                // A resumed request has only the remaining time.
                if let end { request.totalTimeout = max(.zero, ContinuousClock.now.duration(to: end)) }
                switch try await exchange.run(request, over: session) {
                case .complete(let response, let length):
                    let keepsOwner = try await file.commit()
                    return DownloadedFile(
                        path: file.destination, length: length, resumedFrom: file.resumedFrom,
                        discardedLength: file.discardedLength, keepsOwner: keepsOwner, url: response.url,
                        headerFields: response.headerFields,
                        connection: response.connection)
                case .partial:
                    break
                case .outdated:
                    try await file.begin(nil, total: nil)
                }
            } catch SessionError.limit(.timedOut(let peer, .total, let remaining, let setting)) {
                let total = request.totalTimeout ?? remaining
                throw SessionError.limit(.timedOut(peer, .total, after: total, setting: setting))
            } catch let error as SessionError where error.isInterruption && isResumable && interruptions < resumptions {
                // Wait briefly, because the server has just lost a connection.
                try await Task.sleep(for: Self.pause * (1 << (2 * min(interruptions, 3))))
                interruptions += 1
            }
            part = try await self.part(in: file)
        }
    }

    /// Returns whether a later download may resume the partial file.
    ///
    /// It may not after a wrong `Content-Range`.
    private static func canResume(_ error: any Error) -> Bool {
        if case SessionError.response(.wrongContentRange)? = error as? SessionError { false } else { true }
    }

    private static let pause = Duration.milliseconds(50)

    /// Whether the request can be resumed.
    ///
    /// Repeating a request with another method or a body could cause a change twice, and its responses could not be
    /// joined into one representation.
    private var isResumable: Bool { request.method == .get && request.body == nil }

    private func part(in file: PartialFile) async throws -> Part? {
        guard isResumable, let note = await file.note() else { return nil }
        let length = try file.length()
        return (1...(note.total ?? .max)).contains(length) ? Part(length: length, note: note) : nil
    }
}

extension SessionError {
    /// Whether the error cut off a body that can be resumed.
    fileprivate var isInterruption: Bool {
        switch self {
        case .body(.truncated), .connection(.lost(_, .body)), .connection(.goAway(_, .body, _)),
            .limit(.timedOut(_, .body, _, _)), .limit(.timedOut(_, .attempt, _, _)):
            true
        // A refused request was already repeated, and no part of its body arrived.
        case .response(.streamReset(_, let reason)): reason != .refused
        default: false
        }
    }
}
