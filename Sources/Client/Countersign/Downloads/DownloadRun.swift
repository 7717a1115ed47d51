// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// A complete download, with as many requests as it needs.
struct DownloadRun {
    /// The bytes of a representation that an earlier request stored.
    struct Part {
        /// The number of bytes, which is the offset of the next request's range.
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
    /// Receives each partial file that is not resumed, before its bytes are discarded.
    var onLoss: @Sendable (PartialFileLoss) -> Void = { _ in }
    let report: @Sendable (TransferProgress) -> Void

    func run() async throws -> DownloadedFile {
        let url = try HTTPURL.parse(request.url).url.description
        let end = request.totalTimeout.map { ContinuousClock.now + $0 }
        if adopts, let file = try await AdoptedFile.open(path) { return try await run(file, of: url, until: end) }
        let file = try await PartialFile.open(for: path, of: url, onConflict: conflict, onLoss: onLoss)
        do {
            return try await run(file, until: end)
        } catch {
            // A cancelled task cleans up too.
            await Task { await file.leave(canResume: Self.canResume(error)) }.value
            throw error
        }
    }

    private func run(_ file: AdoptedFile, of url: String, until end: ContinuousClock.Instant?) async throws
        -> DownloadedFile
    {
        defer { file.unlock() }
        guard isResumable else { throw file.problem(.notRepeatable) }
        do {
            return try await run(file, after: try await file.start(request, of: url, over: session), until: end)
        } catch SessionError.response(.wrongContentRange) {
            throw file.problem(.wrongRange)
        }
    }

    /// Continues a file until it is complete, with the response to the first request if that was sent.
    private func run(
        _ file: any IncompleteFile, after first: SessionResponse? = nil, until end: ContinuousClock.Instant?
    ) async throws -> DownloadedFile {
        var (first, interruptions) = (first, 0)
        while true {
            let part = isResumable ? try await file.part() : nil
            do {
                let exchange = DownloadExchange(file: file, part: part, isResumable: isResumable, report: report)
                var request = request
                // A resumed request has only the remaining time.
                if let end { request.totalTimeout = max(.zero, ContinuousClock.now.duration(to: end)) }
                let sent = first
                first = nil
                switch try await exchange.run(request, over: session, sent) {
                case .complete(let response, let length):
                    let keepsOwner = try await file.commit(length: length)
                    return DownloadedFile(
                        path: file.destination, length: length, resumedFrom: file.resumedFrom,
                        discardedLength: file.discardedLength, keepsOwner: keepsOwner, url: response.url,
                        headerFields: response.headerFields, connection: response.connection,
                        comparedLength: file.comparedLength)
                case .partial:
                    break
                }
            } catch let restart as RestartNeeded {
                try await file.begin(nil, total: nil, because: restart.problem)
            } catch SessionError.limit(.timedOut(let peer, .total, let remaining, let setting)) {
                let total = request.totalTimeout ?? remaining
                throw SessionError.limit(.timedOut(peer, .total, after: total, setting: setting))
            } catch let error as SessionError where error.isInterruption && isResumable && interruptions < resumptions {
                // Wait briefly, because the server has just lost a connection.
                try await Task.sleep(for: Self.pause * (1 << (2 * min(interruptions, 3))))
                interruptions += 1
            }
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
}

/// A file that a download completes.
protocol IncompleteFile: Sendable {
    /// The path of the complete file, after symbolic links.
    var destination: String { get }
    /// The number of bytes of an earlier download that are still in the file.
    var resumedFrom: Int { get }
    /// The number of bytes of an earlier download that were discarded.
    var discardedLength: Int { get }
    /// The number of bytes of the file that were compared with the representation.
    var comparedLength: Int { get }

    /// Returns the bytes that the next request does not ask for; `nil` if the representation is unknown.
    func part() async throws -> DownloadRun.Part?
    /// Discards the bytes of an earlier download for a reason, and remembers the new representation.
    func begin(_ validator: StrongValidator?, total: Int?, because problem: AdoptionError.Problem) async throws
    /// Writes bytes, or compares them if an earlier download may have written them.
    func write(_ bytes: ByteBuffer, at offset: Int) async throws
    /// Completes the file, once its bytes are on the disk.
    ///
    /// - Parameter length: The length of the representation, in bytes.
    /// - Returns: Whether the file has the owner of the file that it replaced.
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)``; ``RestartNeeded`` or ``AdoptionError`` if the
    ///   file has another length.
    func commit(length: Int) async throws -> Bool
}

extension IncompleteFile {
    /// The maximum number of bytes that are compared, at the end of the file.
    static var maximumOverlap: Int { 64 * 1024 }
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
