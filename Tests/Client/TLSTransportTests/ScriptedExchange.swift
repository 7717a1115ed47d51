// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import TLSTransport
import Testing
import TLSRecipes

/// A client's engine and a server that follows a script.
final class ScriptedExchange {
    let client: TLSEngine
    let server: ScriptedTLSServer
    /// The maximum number of bytes that arrive at once.
    var pieceSize = Int.max
    /// The number of bytes after which the connection is closed.
    var end = Int.max

    private(set) var facts: TLSConnectionFacts?
    private(set) var failure: TLSFailure?
    private(set) var received: [UInt8] = []
    private(set) var requests: [TLSIdentityRequest] = []
    private(set) var sessions: [TLSSession] = []
    private(set) var isInputClosed = false
    /// The numbers of bytes from and to the server.
    private(set) var (inputCount, outputCount) = (0, 0)
    /// The maximum number of bytes that the engine stored.
    private(set) var maximumStored = 0

    init(_ script: ServerScript, _ settings: TLSClientSettings = TLSClientSettings(serverName: nil)) throws {
        client = try TLSEngine(settings)
        server = ScriptedTLSServer(script)
    }

    /// Passes on bytes until neither side has more, and ends the connection.
    func run() {
        repeat {
            takeEvents()
            maximumStored = max(maximumStored, client.outputCount + client.pendingInput)
            while let output = client.takeOutput() {
                outputCount += output.readableBytes
                server.receive(output.readableBytesView)
            }
            var rest = server.takeOutput().prefix(end - inputCount)
            if rest.isEmpty { break }
            inputCount += rest.count
            while !rest.isEmpty {
                client.receive(ByteBuffer(bytes: rest.prefix(pieceSize)))
                rest = rest.dropFirst(pieceSize)
                takeEvents()
            }
        } while true
        client.receiveEnd()
        takeEvents()
    }

    private func takeEvents() {
        while let event = client.next() {
            #expect(failure == nil, "an event after the failure: \(event)")
            switch event {
            case .verificationRequested:
                #expect(client.isWaiting, "a question that has no answer")
                client.approveServer()
            case .identityRequested(let request):
                #expect(client.isWaiting, "a question that has no answer")
                requests.append(request)
                client.use(nil)
            case .signatureRequested: break
            case .handshakeCompleted(let facts):
                #expect(self.facts == nil)
                self.facts = facts
            case .sessionReceived(let session): sessions.append(session)
            case .received(let bytes): received += bytes.readableBytesView
            case .inputClosed: isInputClosed = true
            case .failed(let failure): self.failure = failure
            }
        }
    }
}

extension ServerScript {
    private static func type(of step: Step, isTLS13: Bool) -> UInt8? {
        switch step {
        case .message(let type, _): type
        case .signature: isTLS13 ? 15 : 12
        case .finished: 20
        default: nil
        }
    }

    private func change(_ type: UInt8, _ change: (inout [Step], Int) -> Void) -> ServerScript {
        var script = self
        let index = steps.lastIndex { Self.type(of: $0, isTLS13: isTLS13) == type }
        guard let index else { preconditionFailure("The script has no message \(type).") }
        change(&script.steps, index)
        return script
    }

    /// Replaces the last message of a type.
    func replacing(_ type: UInt8, with new: Step...) -> ServerScript {
        change(type) { steps, index in steps.replaceSubrange(index...index, with: new) }
    }

    /// Inserts steps before the last message of a type.
    func inserting(_ new: [Step], before type: UInt8) -> ServerScript {
        change(type) { steps, index in steps.insert(contentsOf: new, at: index) }
    }

    func inserting(_ new: Step..., before type: UInt8) -> ServerScript { inserting(new, before: type) }

    func appending(_ new: [Step]) -> ServerScript { ServerScript(isTLS13: isTLS13, steps: steps + new) }

    func appending(_ new: Step...) -> ServerScript { appending(new) }
}
