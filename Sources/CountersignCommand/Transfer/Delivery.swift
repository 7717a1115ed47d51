// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// Puts a response where it is wanted, and says what its status means.
struct Delivery {
    /// What came of it.
    struct Delivered {
        let status: CommandStatus
        /// The length of the body in bytes.
        let received: Int
    }

    let method: HTTPRequest.Method
    let options: TransferOptions
    let console: Console

    func deliver(_ response: Response, people: PersonalHandlers, log: EventLog) async throws -> Delivered {
        noteFirstUse(response.connection)
        let received = try await write(response)
        let failure = refusal(response, people)
        try report(
            response.url, response.status.code, response.headerFields, response.connection, bytes: received,
            output: keeps(response) ? options.outputPath : nil, failure, log)
        guard let failure else { return Delivered(status: .done, received: received) }
        console.complain(failure.text)
        return Delivered(status: failure.status, received: received)
    }

    private func noteFirstUse(_ connection: ConnectionReport) {
        for case .firstUse(let server) in connection.tls?.verdict.remarks ?? [] {
            console.complain(
                "countersign: nobody vouches for \(connection.endpoint); its key is remembered: \(server.key)")
        }
    }

    /// Goes on with what an earlier run left, or begins anew.
    func download(
        _ request: Request, in session: Session, to path: String, log: EventLog
    ) async throws -> Delivered {
        let transfer = session.beginDownload(request, to: path)
        var bar: ProgressBar?
        for await progress in transfer.progress where console.showsProgress {
            var current =
                bar ?? ProgressBar(total: progress.total, width: { console.errorWidth }) { console.writeError($0) }
            current.add(progress.completed - current.received)
            bar = current
        }
        bar?.finish()
        let file = try await transfer.value
        noteFirstUse(file.connection)
        let status = file.resumedFrom > 0 ? 206 : 200
        try report(file.url, status, file.headerFields, file.connection, bytes: file.length, output: path, nil, log)
        return Delivered(status: .done, received: file.length - file.resumedFrom)
    }

    private func report(
        _ url: String, _ status: Int, _ fields: HTTPFields, _ connection: ConnectionReport, bytes: Int, output: String?,
        _ failure: Failure?, _ log: EventLog
    ) throws {
        guard options.json else { return }
        try console.print(
            json: TransferReport(
                method: method.rawValue, url: log.shown(url), status: status,
                fields: log.shown(fields).map { FieldReport(name: $0.name.rawName, value: $0.value) }, bytes: bytes,
                output: output, proxy: connection.proxy?.description, tls: connection.tls.map(TLSReport.init),
                challenges: log.challenges.map { ChallengeReport($0, $1) },
                error: failure.map { FailureReport($0).error }))
    }

    /// A page about an error is not what a file was to hold, and neither is the empty body of a 304.
    private func keeps(_ response: Response) -> Bool { response.status.kind == .successful }

    /// What a response says by its status alone.
    private func refusal(_ response: Response, _ people: PersonalHandlers) -> Failure? {
        let answer = "\(response.url) answered \(response.status.text)"
        switch response.status.code {
        case 401, 407:
            let need = people.needs.withLockedValue { $0.last }
            return Failure(
                .notAuthenticated, "not-authenticated", need.map { "\(answer): \($0)." } ?? "\(answer).",
                "'\(method.rawValue.lowercased()) -v' shows what was asked and how it was answered.")
        case 400...:
            return Failure(.failed, "http-status", "\(answer).", advice)
        default:
            return nil
        }
    }

    private var advice: String {
        guard let output = options.outputPath else { return "The body says why, or ask the server's owner." }
        return "\(output) stays as it was. Without -o the page is printed, which may say why."
    }

    // MARK: Writing

    /// Where bytes go.
    private enum Sink {
        case file(OutputFile)
        case standardOutput
        case nowhere
    }

    /// - Returns: How many bytes the body had, as far as it was read.
    private func write(_ response: Response) async throws -> Int {
        let sink = try sink(for: response)
        if case .nowhere = sink, !options.json { return 0 }
        let total = response.headerFields[.contentLength].flatMap { Int($0) }
        let showsProgress = console.showsProgress && (options.outputPath != nil || !console.outputIsTerminal)
        var progress = ProgressBar(total: total, width: { console.errorWidth }) {
            if showsProgress { console.writeError($0) }
        }
        defer { progress.finish() }
        for try await part in response.body {
            try write(Array(part.readableBytesView), to: sink)
            progress.add(part.readableBytes)
        }
        if method == .head { try write(Array(head(of: response).utf8), to: sink) }
        if case .file(let file) = sink { try keep(file) }
        return progress.received
    }

    private func keep(_ file: OutputFile) throws {
        try file.commit()
        guard !file.keepsOwner else { return }
        console.complain(
            "countersign: \(options.outputPath ?? "") belonged to another user and is yours now; only the superuser can keep the owner"
        )
    }

    private func sink(for response: Response) throws -> Sink {
        if let output = options.outputPath { return keeps(response) ? .file(try OutputFile(path: output)) : .nowhere }
        return options.json || options.fail && response.status.code >= 400 ? .nowhere : .standardOutput
    }

    private func write(_ bytes: [UInt8], to sink: Sink) throws {
        switch sink {
        case .file(let file):
            try file.write(bytes)
        case .standardOutput:
            guard !console.outputIsTerminal || bytes.allSatisfy(\.isText) else { throw Self.noText }
            try console.write(bytes)
        case .nowhere:
            break
        }
    }

    /// The status and the fields, a line each.
    private func head(of response: Response) -> String {
        let version = response.connection.httpVersion.text
        let fields = response.headerFields.map { "\($0.name.rawName): \($0.value)" }
        return (["\(version) \(response.status.text)"] + fields).map { $0.printable + "\n" }.joined()
    }

    private static let noText = CommandFailure(
        failure: Failure(
            .failed, "no-text", "The body is no text, and could change how the terminal behaves.",
            "Put it into a file with -o FILE, or pipe it on."))
}

extension UInt8 {
    /// Whether a terminal only shows it: a control character could be the start of a command to it.
    fileprivate var isText: Bool { self >= 0x20 && self != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains(self) }
}
