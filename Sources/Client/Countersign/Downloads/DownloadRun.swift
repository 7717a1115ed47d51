// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// One download: as many requests as it takes.
struct DownloadRun {
    /// What is there of a representation.
    struct Part {
        /// In bytes, at least one.
        let length: Int
        let note: ResumptionNote
    }

    let session: any Client
    let request: Request
    let path: String
    let resumptions: Int
    let report: @Sendable (TransferProgress) -> Void

    func run() async throws -> DownloadedFile {
        let url = try HTTPURL.parse(request.url).url.description
        let file = try await PartialFile.open(for: path, of: url)
        do {
            return try await run(file)
        } catch {
            // A task that is cancelled tidies up all the same.
            await Task { await file.leave(isOfUse: Self.leavesPartOfUse(error)) }.value
            throw error
        }
    }

    private func run(_ file: PartialFile) async throws -> DownloadedFile {
        var part = try await part(in: file)
        let end = request.totalTimeout.map { ContinuousClock.now + $0 }
        var (resumedFrom, interruptions) = (part?.length ?? 0, 0)
        while true {
            do {
                let exchange = DownloadExchange(file: file, part: part, isResumable: isResumable, report: report)
                var request = request
                // What is gone on with has only the rest of the time.
                if let end { request.totalTimeout = max(.zero, ContinuousClock.now.duration(to: end)) }
                switch try await exchange.run(request, over: session) {
                case .whole(let response, let length, let isAnew):
                    let keepsOwner = try await file.commit()
                    return DownloadedFile(
                        path: file.destination, length: length, resumedFrom: isAnew ? 0 : resumedFrom,
                        keepsOwner: keepsOwner, url: response.url, headerFields: response.headerFields,
                        connection: response.connection)
                case .inPart:
                    break
                case .useless:
                    resumedFrom = 0
                    try await file.begin(nil, total: nil)
                }
            } catch let error as SessionError where error.isInterruption && isResumable && interruptions < resumptions {
                // A server that has just lost a connection is given a moment.
                try await Task.sleep(for: Self.pause * (1 << (2 * min(interruptions, 3))))
                interruptions += 1
            }
            part = try await self.part(in: file)
            resumedFrom = min(resumedFrom, part?.length ?? 0)
        }
    }

    /// Whether the next download may go on where this one failed; after a lie it had better begin anew.
    private static func leavesPartOfUse(_ error: any Error) -> Bool {
        if case SessionError.response(.wrongContentRange)? = error as? SessionError { false } else { true }
    }

    private static let pause = Duration.milliseconds(50)

    /// What other methods, or a body, would change must not happen twice, and their responses are no parts of a representation.
    private var isResumable: Bool { request.method == .get && request.body == nil }

    private func part(in file: PartialFile) async throws -> Part? {
        guard isResumable, let note = await file.note() else { return nil }
        let length = try file.length()
        return (1...(note.total ?? .max)).contains(length) ? Part(length: length, note: note) : nil
    }
}

extension SessionError {
    /// Whether a body was cut off that may be gone on with.
    fileprivate var isInterruption: Bool {
        switch self {
        case .body(.truncated), .connection(.lost(_, .body)), .connection(.goAway(_, .body, _)),
            .limit(.timedOut(_, .body)):
            true
        // A request that was refused was repeated already, and no part of its body came.
        case .response(.streamReset(_, let reason)): reason != .refused
        default: false
        }
    }
}
