// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import NIOCore
import TLSTransport
import TLSRecipes

/// A connection of a client with the server of an input, which traps if a rule of the engine is broken.
final class TLSRun {
    /// The properties of a connection that do not depend on random numbers.
    struct Outcome: Hashable {
        var isComplete = false
        var received: [UInt8] = []
        var isInputClosed = false
        var verificationCount = 0
        var requestCount = 0
        var sessionCount = 0
        /// The name of the failure's case.
        var failure = ""
    }

    /// The maximum number of bytes that an engine stores for the server.
    private static let maximumOutput = 1 << 16

    private let input: TLSInput
    private let settings: TLSClientSettings
    private let portion: Int
    private let answersLate: Bool
    private let client: TLSEngine
    private let server: ScriptedTLSServer
    private var state = Outcome()
    private var hasFailed = false
    private var lateAnswers: [() -> Void] = []

    init(_ input: TLSInput, _ library: TLSLibrary, inParts: Bool) {
        self.input = input
        settings = input.settings(library)
        portion = inParts ? input.portion : .max
        answersLate = inParts && input.options.contains(.answersLate)
        do {
            client = try TLSEngine(settings)
        } catch {
            preconditionFailure("\(error)")
        }
        if input.options.contains(.resumes), let session = TLSSeeds.sessions[library]?[input.script.isTLS13] {
            client.resume(session)
        }
        server = ScriptedTLSServer(input.script)
        server.fragmentLength = input.fragmentLength
    }

    func outcome() -> Outcome {
        var isQuiet = false
        while !isQuiet {
            takeEvents()
            isQuiet = !passOutput() && !passInput()
            guard isQuiet, !lateAnswers.isEmpty else { continue }
            isQuiet = false
            let answers = lateAnswers
            lateAnswers = []
            answers.forEach { $0() }
        }
        precondition(!client.isWaiting, "a question has no answer")
        precondition(client.pendingInput == 0, "the engine stores \(client.pendingInput) bytes")
        client.receiveEnd()
        takeEvents()
        precondition(client.hasEnded || state.isInputClosed, "the connection has no end")
        checkEnd()
        return state
    }

    private func passOutput() -> Bool {
        precondition(client.outputCount <= Self.maximumOutput, "the engine stores \(client.outputCount) bytes to send")
        guard let output = client.takeOutput() else { return false }
        server.receive(output.readableBytesView)
        return true
    }

    private func passInput() -> Bool {
        var rest = server.takeOutput()[...]
        guard !rest.isEmpty else { return false }
        while !rest.isEmpty {
            client.receive(ByteBuffer(bytes: rest.prefix(portion)))
            rest = rest.dropFirst(portion)
            takeEvents()
        }
        return true
    }

    /// Checks that nothing follows the end of a connection.
    private func checkEnd() {
        guard client.hasEnded else { return }
        let state = state
        client.receive(ByteBuffer(bytes: [22, 3, 3, 0, 4, 0, 0, 0, 0]))
        client.approveServer()
        client.use(nil)
        client.use(signature: [1])
        client.refuse(.unknownCA)
        client.close()
        client.receiveEnd()
        takeEvents()
        precondition(self.state == state, "an event after the end")
        precondition(!client.canSend && !client.isWaiting && client.pendingInput == 0, "activity after the end")
        while client.takeOutput() != nil {}
    }

    // MARK: Events

    private func takeEvents() {
        while let event = client.next() {
            precondition(!hasFailed, "an event after the failure")
            process(event)
        }
    }

    private func process(_ event: TLSEvent) {
        switch event {
        case .verificationRequested(let credentials):
            precondition(!credentials.chain.isEmpty, "no certificate")
            state.verificationCount += 1
            answer { $0.approveServer() }
        case .identityRequested:
            state.requestCount += 1
            let identity = input.options.contains(.presentsIdentity) ? TLSSeeds.identity(for: settings.library) : nil
            answer { $0.use(identity) }
        case .signatureRequested(_, let message):
            let signature = try? ScriptedTLSServer.key.signature(for: message)
            answer { $0.use(signature: signature.map { Array($0.derRepresentation) } ?? []) }
        case .handshakeCompleted(let facts): complete(facts)
        case .sessionReceived: state.sessionCount += 1
        case .received(let bytes):
            precondition(state.isComplete && !state.isInputClosed && bytes.readableBytes > 0, "data at a wrong time")
            state.received += bytes.readableBytesView
            precondition(server.sentData.starts(with: state.received), "data that the server did not send")
        case .inputClosed:
            precondition(state.isComplete && !state.isInputClosed, "an end at a wrong time")
            state.isInputClosed = true
        case .failed(let failure):
            hasFailed = true
            state.failure = String("\(failure)".prefix { $0 != "(" })
        }
    }

    private func complete(_ facts: TLSConnectionFacts) {
        precondition(!state.isComplete, "the handshake was completed twice")
        precondition(state.verificationCount > 0, "the server was not verified")
        state.isComplete = true
        // The messages of the flight are those that the server has signed.
        precondition(
            server.hasSentOtherBytes
                || server.authenticMessages.map { read(server.sentMessages).starts(with: read($0)) } == true,
            "a forged handshake")
        precondition(settings.versions.contains(facts.version), "a version that was not offered")
        if let name = facts.applicationProtocol {
            precondition(settings.applicationProtocols.contains(name), "a protocol that was not offered")
        }
        guard client.canSend else { return }
        client.send(ByteBuffer(repeating: 3, count: 10))
        client.flush()
    }

    /// Returns the messages that the library reads: OpenSSL ignores each HelloRequest in a handshake.
    private func read(_ messages: [UInt8]) -> [UInt8] {
        guard settings.library == .openSSL else { return messages }
        var (rest, read) = (messages[...], [UInt8]())
        while rest.count >= 4 {
            let message = rest.prefix(4 + rest.dropFirst().prefix(3).reduce(0) { $0 << 8 | Int($1) })
            if !message.elementsEqual([0, 0, 0, 0]) { read += message }
            rest = rest.dropFirst(message.count)
        }
        return read + rest
    }

    private func answer(_ answer: @escaping (TLSEngine) -> Void) {
        precondition(client.isWaiting, "a question that does not wait")
        if answersLate {
            lateAnswers.append { [client] in answer(client) }
        } else {
            answer(client)
        }
    }
}
