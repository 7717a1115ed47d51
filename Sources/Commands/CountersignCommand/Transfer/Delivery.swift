// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes
import NIOCore

/// Delivers a response to its destination.
struct Delivery {
    let transfer: SingleTransfer

    private var options: any TransferOptions { transfer.options }
    private var outputs: OutputOptions { options.outputs }
    private var console: Console { transfer.console }

    func deliver(_ response: SessionResponse, _ facts: inout TransferMetrics) async throws {
        noteFirstUse(response.connection)
        try transfer.heads.add(response.headText, of: transfer.number)
        let sink = try sink(for: response)
        facts.path = sink.path
        let length = try await write(response, to: sink, &facts.received)
        let failure = refusal(response)
        try report(response, bytes: length, output: sink.path, failure)
        guard let failure else { return }
        (facts.failure, facts.status) = (failure, failure.status)
        console.printError(failure)
    }

    /// Resumes the download of an earlier run or of another program, or starts it.
    func download(
        _ request: SessionRequest, in session: HTTPSession, to path: String, _ facts: inout TransferMetrics
    ) async throws {
        let continues = transfer.partialFiles == .continued
        let download = session.beginDownload(
            request, toPath: path, onConflict: continues ? .fail : .discard, adopts: continues
        ) { [console] in console.printError("countersign: \($0.text.printable)") }
        var bar: ProgressBar?
        for await progress in download.progress where showsProgress {
            var current = bar ?? console.progressBar(total: progress.total)
            current.add(progress.completed - current.received)
            bar = current
        }
        bar?.finish()
        let file: DownloadedFile
        do {
            file = try await download.value
        } catch {
            if Task.isCancelled, OutputFile.exists(path + ".part") {
                console.printError(
                    "countersign: \(path.printable).part is kept, and --continue or --partial resumes the download")
            }
            throw error
        }
        let response = SessionResponse(
            status: file.resumedFrom > 0 ? .partialContent : .ok, headerFields: file.headerFields, url: file.url,
            connection: file.connection)
        noteFirstUse(file.connection)
        let isComplete = file.resumedFrom > 0 && file.resumedFrom == file.length
        if isComplete || file.comparedLength > 0 {
            let compared = file.comparedLength
            let amount = compared.isMultiple(of: 1024) ? "\(compared / 1024) KiB" : "\(compared) bytes"
            console.printError(
                "countersign: \(path.printable) \(isComplete ? "is complete" : "was continued")"
                    + (compared > 0 ? "; \(amount) were compared with the resource" : ""))
        }
        if !file.keepsOwner { console.warnAboutOwner(of: path) }
        noteCoding(
            of: response, length: file.length, remark: ", because --continue and --partial keep a body as it was sent")
        try transfer.heads.add(response.headText, of: transfer.number)
        (facts.response, facts.path, facts.received) = (response, path, file.length - file.resumedFrom)
        try report(response, bytes: file.length, output: path, nil)
    }

    private func noteFirstUse(_ connection: ConnectionReport) {
        for case .firstUse(let server) in connection.tls?.verdict.remarks ?? [] {
            console.printError(
                "countersign: no anchor vouches for \(connection.endpoint); its key is remembered: \(server.key)")
        }
    }

    /// Warns that a body was delivered in a content coding, so that the user does not mistake it for the content.
    private func noteCoding(of response: SessionResponse, length: Int, remark: String = "") {
        guard length > 0, let coding = response.remainingCoding else { return }
        console.printError(
            "countersign: the body is in the coding \"\(coding.printable)\", which was not undone\(remark)")
    }

    private func report(_ response: SessionResponse, bytes: Int, output: String?, _ failure: Failure?) throws {
        guard options.json else { return }
        let connection = response.connection
        try console.print(
            json: TransferReport(
                method: transfer.request.method.rawValue, url: transfer.log.shown(response.url),
                status: response.status.code,
                fields: transfer.log.shown(response.headerFields).map {
                    FieldReport(name: $0.name.rawName, value: $0.value)
                },
                bytes: bytes,
                output: output, proxy: connection.proxy?.description, tls: connection.tls.map(TLSReport.init),
                challenges: transfer.log.challenges(of: transfer.request.identifier),
                error: failure.map { FailureReport($0, console.errorOptions).error }))
    }

    // MARK: The status

    /// Returns whether the body is stored; an error page or the empty body of a 304 does not replace a file.
    private func keeps(_ response: SessionResponse) -> Bool {
        response.status.kind == .successful || outputs.failWithBody && response.status.code >= 400
    }

    /// Returns the failure that an unsuccessful status represents.
    private func refusal(_ response: SessionResponse) -> Failure? {
        guard response.status.code >= 400 else { return nil }
        let (status, summary) = (response.status.text, response.summary(beginning: []))
        let (need, unsent) = (transfer.originHandlers.lastMissingCredential, unsentRemark(response))
        let isOwnField = transfer.request.headerFields[.authorization] != nil && response.sentCredential
        let unused = options.credentials.unusedBesideAuthorization(ofURLs: [transfer.url])
        let refused = "The server refused the field Authorization of -H\(unused.map { ", and \($0)" } ?? "")."
        guard ![401, 407].contains(response.status.code) else {
            return Failure(
                CommandError.rejected(
                    response.url, status: status, need: need,
                    reason: summary.reason(otherwise: isOwnField ? refused : CommandError.unknownUser),
                    remark: unsent ?? waysOn(from: summary, response)))
        }
        let lacksCertificate = summary.missingCertificate != nil
        return Failure(
            CommandError.badStatus(
                response.url, status: status,
                file: transfer.target.isFile && !keeps(response) ? transfer.target.path ?? "The file" : nil,
                hasBody: response.headerFields[.contentLength] != "0", lacksCertificate: lacksCertificate,
                need: lacksCertificate ? need : nil, unsent: unsent, statement: summary.refusalStatement))
    }

    /// Returns the options with which a challenge can be answered; `nil` without such options.
    private func waysOn(from summary: ResponseSummary, _ response: SessionResponse) -> String? {
        if let code = summary.unanswerableCode { return console.errorOptions.text(for: code) }
        if let scheme = summary.unsupportedScheme {
            return "-H @FILE sends its credential, with the line 'Authorization: \(scheme) ...' in FILE."
        }
        guard !response.sentCredential, !response.hasChallenge else { return nil }
        return "The server named no method. With the first request, --user NAME with a password and --auth basic, or "
            + "--bearer-file FILE, sends a credential."
    }

    /// Returns a sentence about a credential that was not sent to a server that refused without asking for one.
    private func unsentRemark(_ response: SessionResponse) -> String? {
        guard response.status.kind == .clientError, response.status != .proxyAuthenticationRequired,
            !response.sentCredential, !response.hasChallenge
        else { return nil }
        return transfer.originHandlers.remark(onResponseFrom: response.url, status: response.status.code)
    }

    // MARK: Writing

    /// Writes the body, and counts the received bytes, even if the body ends early.
    ///
    /// - Returns: The length of the delivered body.
    private func write(_ response: SessionResponse, to sink: BodySink, _ received: inout Int) async throws -> Int {
        if case .nowhere = sink, !options.json { return 0 }
        if transfer.request.method == .head || outputs.include {
            let head = Array((response.headText + (transfer.request.method == .head ? "" : "\n")).utf8)
            // The body may have another encoding.
            if case .standardOutput = sink { try console.write(head) } else { try sink.write(head) }
        }
        let total = response.headerFields[.contentLength].flatMap { Int($0) }
        var progress = showsProgress ? console.progressBar(total: total) : nil
        defer { progress?.finish() }
        var length = 0
        var parts = response.body.makeAsyncIterator()
        defer { received = parts.receivedCount }
        while let part = try await parts.next() {
            try sink.write(Array(part.readableBytesView))
            length += part.readableBytes
            progress?.add(part.readableBytes)
        }
        if case .standardOutput(let console) = sink { try console.finishText() }
        if case .file(let file, let path) = sink, !(try file.commit()) { console.warnAboutOwner(of: path) }
        if case .nowhere = sink { return length }
        noteCoding(of: response, length: length)
        return length
    }

    private var showsProgress: Bool {
        console.showsProgress && !outputs.silent && !options.parallel.isParallel
            && (transfer.target.isFile || !console.outputIsTerminal)
    }

    private func sink(for response: SessionResponse) throws -> BodySink {
        switch transfer.target {
        case .standardOutput:
            options.json || outputs.fail && response.status.code >= 400
                ? .nowhere : .standardOutput(console.showing(charset: response.charset))
        case _ where !keeps(response):
            .nowhere
        case .file(let path):
            .file(try OutputFile(path: path, durability: outputs.durability), path)
        case .newFile(let path):
            .file(try OutputFile(path: path, replaces: false, durability: outputs.durability), path)
        case .serverNamed(let fallback, let url, let replaces):
            try namedFile(response, fallback, url, replaces)
        }
    }

    private func namedFile(
        _ response: SessionResponse, _ fallback: RemoteName?, _ url: String, _ replaces: Bool
    ) throws -> BodySink {
        let name = try RemoteName(suggestedBy: response, fallback, url) { console.printError($0) }
        let path = outputs.path(of: name.text)
        guard replaces || !OutputFile.exists(path) else { throw RemoteNameError.exists(path) }
        try transfer.names.claim(path, for: "the URL \(url.droppingUserInfo)")
        return .file(try OutputFile(path: path, replaces: replaces, durability: outputs.durability), path)
    }
}

extension SessionResponse {
    /// The charset of the field `Content-Type` in lower case; `nil` if it names none.
    fileprivate var charset: String? { headerFields[.contentType].flatMap(MediaType.init(field:))?.charset }
}

/// The destination of a body's bytes.
enum BodySink {
    case file(OutputFile, String)
    case standardOutput(Console)
    case nowhere

    /// The path of the file.
    var path: String? {
        if case .file(_, let path) = self { path } else { nil }
    }

    func write(_ bytes: [UInt8]) throws {
        switch self {
        case .file(let file, _):
            try file.write(bytes)
        case .standardOutput(let console):
            try console.write(bytes)
        case .nowhere:
            break
        }
    }
}

/// The JSON output of `get --json`, and of every other command that sends a request.
struct TransferReport: Encodable {
    let method: String
    let url: String
    let status: Int
    /// The fields, in the order in which they were sent.
    let fields: [FieldReport]
    /// The number of body bytes that were read.
    let bytes: Int
    let output: String?
    let proxy: String?
    let tls: TLSReport?
    let challenges: [ChallengeReport]
    /// The failure that an unsuccessful status represents.
    let error: FailureReport.Contents?

    private enum Key: String, CodingKey {
        case method, url, status, fields, bytes, output, proxy, tls, challenges, certificates, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(method, forKey: .method)
        try container.encode(url, forKey: .url)
        try container.encode(status, forKey: .status)
        try container.encode(fields, forKey: .fields)
        try container.encode(bytes, forKey: .bytes)
        try container.encodeIfPresent(output, forKey: .output)
        try container.encodeIfPresent(proxy, forKey: .proxy)
        try container.encodeIfPresent(tls, forKey: .tls)
        try container.encode(challenges, forKey: .challenges)
        try container.encodeIfPresent(tls?.certificates.all, forKey: .certificates)
        try container.encodeIfPresent(error?.about(url), forKey: .error)
    }
}

struct FieldReport: Encodable {
    let name: String
    let value: String
}

extension SessionResponse {
    /// Whether the response asks for a credential.
    fileprivate var hasChallenge: Bool { !headerFields[values: .wwwAuthenticate].allSatisfy(\.isEmpty) }
}
