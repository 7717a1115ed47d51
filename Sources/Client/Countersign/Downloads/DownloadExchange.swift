// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// One request of a download, and the processing of its response (RFC 9110 section 14).
struct DownloadExchange {
    enum Outcome {
        /// The file is complete, with the given length in bytes.
        case complete(SessionResponse, length: Int)
        /// The server sent a shorter range than the rest of the file.
        case partial
    }

    let file: any IncompleteFile
    let part: DownloadRun.Part?
    let isResumable: Bool
    let report: @Sendable (TransferProgress) -> Void

    /// The maximum number of bytes, and the maximum time, that are buffered before a write.
    private static let batch = (length: 256 * 1024, interval: Duration.seconds(1))

    /// Sends the request for the rest of the file unless its response is there, and writes the response's body.
    ///
    /// - Throws: ``RestartNeeded`` if the file does not belong to the server's current representation.
    func run(
        _ request: SessionRequest, over session: any RequestSender, _ first: SessionResponse?
    ) async throws -> Outcome {
        let rest = request.asking(from: part?.length, of: part?.note.validator)
        let response = if let first { first } else { try await session.send(rest) }
        switch (response.status.code, part) {
        case (206, let part?):
            return try await resume(with: response, after: part)
        case (416, let part?):
            try await response.body.discard()
            guard part.note.validator.isConsistent(with: response.headerFields),
                case .none(let total)? = ContentRange(response.headerFields[.contentRange])
            else { throw RestartNeeded(problem: .resourceModified) }
            guard total == part.length else {
                throw RestartNeeded(problem: total < part.length ? .fileTooLong : .resourceModified)
            }
            return .complete(response, length: part.length)
        case (206, nil):
            throw wrongRange(of: response)
        case (200..<300, _):
            return try await begin(with: response)
        default:
            throw SessionError.response(.downloadRefused(try await response.summary()))
        }
    }

    private func resume(with response: SessionResponse, after part: DownloadRun.Part) async throws -> Outcome {
        // A server that sends a range of another representation has ignored If-Range.
        guard part.note.validator.isConsistent(with: response.headerFields) else {
            throw RestartNeeded(problem: .resourceModified)
        }
        guard case .part(part.length, let last, let total) = ContentRange(response.headerFields[.contentRange]),
            total ?? part.note.total == part.note.total || part.note.total == nil
        else { throw wrongRange(of: response) }
        let expected = total ?? part.note.total
        try await receive(response, from: part.length, upTo: last + 1, total: expected)
        return last + 1 == expected ? .complete(response, length: last + 1) : .partial
    }

    private func begin(with response: SessionResponse) async throws -> Outcome {
        let total = response.headerFields[.contentLength].flatMap { Int($0) }
        let validator = isResumable && response.status == .ok ? StrongValidator(of: response.headerFields) : nil
        let isSame = validator != nil && validator == part?.note.validator
        try await file.begin(
            validator, total: total,
            because: !isResumable ? .notRepeatable : isSame ? .noRanges : .resourceModified)
        let length = try await receive(response, from: 0, upTo: nil, total: total)
        return .complete(response, length: length)
    }

    /// Writes the body to the file.
    ///
    /// If the body is cut off, writes the bytes received until then. The first bytes, and those of a slow server, are
    /// written soon, so that a later run can resume the file if this one is killed.
    ///
    /// - Returns: The length of the file.
    @discardableResult
    private func receive(_ response: SessionResponse, from start: Int, upTo end: Int?, total: Int?) async throws -> Int
    {
        var (offset, gathered, lastWrite) = (start, ByteBuffer(), ContinuousClock.Instant?.none)
        report(TransferProgress(completed: start, total: total))
        do {
            for try await bytes in response.body {
                gathered.writeImmutableBuffer(bytes)
                let reached = offset + gathered.readableBytes
                guard reached <= end ?? .max else { throw wrongRange(of: response) }
                let isDue = lastWrite.map { $0.duration(to: .now) >= Self.batch.interval } ?? true
                if isDue || gathered.readableBytes >= Self.batch.length {
                    try await file.write(gathered, at: offset)
                    (offset, lastWrite) = (reached, .now)
                    gathered.clear()
                }
                report(TransferProgress(completed: reached, total: total))
            }
        } catch {
            let (rest, position) = (gathered, offset)
            // A cancelled task still writes the bytes that it received.
            _ = await Task { try await file.write(rest, at: position) }.result
            throw error
        }
        if gathered.readableBytes > 0 { try await file.write(gathered, at: offset) }
        let reached = offset + gathered.readableBytes
        guard reached == end ?? reached else { throw wrongRange(of: response) }
        return reached
    }

    private func wrongRange(of response: SessionResponse) -> SessionError {
        .response(
            .wrongContentRange(
                Redaction.url(response.url), offset: part?.length, field: response.headerFields[.contentRange]))
    }
}

extension SessionRequest {
    /// Returns the request for the bytes from an offset, without a content coding (RFC 9110 section 14.2).
    ///
    /// - Parameters:
    ///   - offset: The first byte; `nil` for all bytes.
    ///   - validator: The representation that the bytes must belong to; otherwise the server sends all bytes.
    /// - Returns: The request.
    func asking(from offset: Int?, of validator: StrongValidator?) -> SessionRequest {
        var request = self
        if explicitFields[.acceptEncoding] == nil { request.explicitFields[.acceptEncoding] = "identity" }
        request.explicitFields[.range] = offset.map { "bytes=\($0)-" }
        request.explicitFields[.ifRange] = validator?.field
        return request
    }
}

/// The `Content-Range` field of a 206 or a 416 response (RFC 9110 section 14.4).
enum ContentRange: Hashable {
    /// A range of byte offsets, including the last one. The total is `nil` if the server does not know it.
    case part(first: Int, last: Int, total: Int?)
    /// No range, only the total length.
    case none(total: Int)

    init?(_ field: String?) {
        guard let field, field.prefix(6).lowercased() == "bytes " else { return nil }
        let halves = field.dropFirst(6).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let total = Self.number(halves[1])
        guard total != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            guard let total else { return nil }
            self = .none(total: total)
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else {
            return nil
        }
        self = .part(first: first, last: last, total: total)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}
