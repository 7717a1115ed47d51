// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOEmbedded
import Secrets
import TLSRecipes
import TLSTransport
import Testing

/// Connections that end in each state and in each way, whose questions are answered afterwards.
@Suite struct TerminationTests {
    private enum Termination: CaseIterable {
        case close, closeByServer, closeOfInput, error, refusal, unusableIdentity, alert, garbage, nothing
    }

    /// The scripts whose questions come in the handshake, after it, and never.
    private static func scripts(_ version: TLSProtocolVersion) -> [ServerScript] {
        var request = ServerScript.Options()
        (request.requestsCertificate, request.ticketCount, request.staple) = (true, 2, [1, 2, 3])
        guard version == .tls13 else {
            return [.tls12(), .tls12(request), .tls12(request, renegotiates: true)]
        }
        // A request after the handshake, with a context (RFC 8446 section 4.3.2).
        let late = ServerScript.Step.message(13, [1, 7] + ServerScript.vector([0, 13, 0, 4, 0, 2, 4, 3], octets: 2))
        return [.tls13(), .tls13(request), .tls13().appending(late, .record(23, [2]))]
    }

    @Test("A connection that ends in any state and any way releases its memory", arguments: Variant.all)
    func terminations(variant: Variant) throws {
        for script in Self.scripts(variant.version) {
            for (answerCount, termination) in (0..<5).flatMap({ count in Termination.allCases.map { (count, $0) } }) {
                try expectRelease(of: script, variant, "\(termination) after \(answerCount) answers") { connection in
                    try connection.connect()
                    for _ in 0..<answerCount { try connection.answer() }
                    try end(connection, termination)
                }
            }
        }
    }

    @Test("A server may close the connection after any byte", arguments: Variant.all)
    func truncations(variant: Variant) throws {
        for script in Self.scripts(variant.version) {
            for limit in stride(from: 0, to: 2_000, by: 97) {
                try expectRelease(of: script, variant, "\(limit) bytes") { connection in
                    connection.inputLimit = limit
                    try connection.connect()
                    for _ in 0..<4 { try connection.answer() }
                    try end(connection, .closeByServer)
                }
            }
        }
    }

    private func expectRelease(
        of script: ServerScript, _ variant: Variant, _ comment: Comment, _ run: (ScriptedChannel) throws -> Void
    ) throws {
        weak var (handler, engine, delegate): (TLSClientHandler?, TLSEngine?, RecordingDelegate?)
        do {
            let connection = try ScriptedChannel(
                script, TLSClientSettings(serverName: "a.test", versions: variant.versions, library: variant.library))
            (handler, engine, delegate) = (connection.handler, connection.engine, connection.delegate)
            try run(connection)
            connection.finish()
            #expect(connection.delegate.results.count == 1, comment)
            #expect(connection.engine.hasEnded, comment)
        }
        #expect(handler == nil && engine == nil && delegate == nil, comment)
    }

    private func end(_ connection: ScriptedChannel, _ termination: Termination) throws {
        let channel = connection.channel
        switch termination {
        case .close: channel.close(promise: nil)
        case .closeByServer: channel.pipeline.fireChannelInactive()
        case .closeOfInput: channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        case .error: channel.pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "read"))
        case .refusal:
            connection.delegate.verify = { _ in throw TLSFailure.closed }
            connection.delegate.selectIdentity = { _ in throw TLSFailure.closed }
            try connection.answer()
        case .unusableIdentity:
            connection.delegate.selectIdentity = { _ in TLSIdentity(chain: [[1]], key: Secret(utf8: [2])) }
            try connection.answer()
        case .alert: channel.pipeline.fireChannelRead(ByteBuffer(bytes: [21, 3, 3, 0, 2, 2, 40]))
        case .garbage: channel.pipeline.fireChannelRead(ByteBuffer(bytes: [22, 3, 3, 0, 4, 9, 9, 9, 9]))
        case .nothing: break
        }
    }
}

/// A client's channel, whose questions are answered late, and a server that follows a script.
private final class ScriptedChannel {
    let channel = EmbeddedChannel()
    let delegate = RecordingDelegate()
    let engine: TLSEngine
    let handler: TLSClientHandler
    private let server: ScriptedTLSServer
    /// The number of bytes that still arrive from the server.
    var inputLimit = Int.max

    init(_ script: ServerScript, _ settings: TLSClientSettings) throws {
        server = ScriptedTLSServer(script)
        engine = try TLSEngine(settings)
        handler = TLSClientHandler(engine, delegate: delegate)
        delegate.answersLate = true
        try channel.pipeline.syncOperations.addHandler(handler)
        channel.writeAndFlush(ByteBuffer(string: "request"), promise: nil)
    }

    func connect() throws {
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        try run()
    }

    func answer() throws {
        delegate.giveLateAnswers()
        try run()
    }

    /// Ends the channel, and answers all questions.
    func finish() {
        _ = try? channel.finish(acceptAlreadyClosed: true)
        delegate.giveLateAnswers()
        channel.embeddedEventLoop.run()
    }

    private func run() throws {
        repeat {
            channel.embeddedEventLoop.run()
            while let output = try channel.readOutbound(as: ByteBuffer.self) {
                server.receive(output.readableBytesView)
            }
            let input = server.takeOutput().prefix(inputLimit)
            guard !input.isEmpty, channel.isActive else { return }
            inputLimit -= input.count
            channel.pipeline.fireChannelRead(ByteBuffer(bytes: input))
            channel.pipeline.fireChannelReadComplete()
        } while true
    }
}
