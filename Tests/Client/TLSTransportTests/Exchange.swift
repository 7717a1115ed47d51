// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOCore
import TLSServer
import TLSTransport

/// A client's and a server's engine, with all bytes between them.
final class Exchange {
    let client: TLSEngine
    let server: TLSServerEngine
    /// Returns the alert for a server that is not trusted.
    var verify: (TLSServerCredentials) -> TLSAlert? = { _ in nil }
    var selectIdentity: (TLSIdentityRequest) -> TLSIdentity? = { _ in nil }
    var sign: (TLSSignatureScheme, [UInt8]) -> [UInt8] = { _, _ in [] }
    /// Whether the client answers only when all bytes have arrived.
    var answersLate = false
    /// The maximum number of bytes that arrive at once.
    var pieceSize = Int.max
    /// The position at which the bytes from the server are split in addition.
    var splitPosition = 0
    /// Changes bytes from the server; the second argument is the position of the first one.
    var change: (inout [UInt8], Int) -> Void = { _, _ in }

    private(set) var facts: TLSConnectionFacts?
    private(set) var credentials: [TLSServerCredentials] = []
    private(set) var requests: [TLSIdentityRequest] = []
    private(set) var sessions: [TLSSession] = []
    private(set) var received: [UInt8] = []
    /// The lengths of the buffers that contained the received bytes.
    private(set) var receivedLengths: [Int] = []
    private(set) var isInputClosed = false
    private(set) var failure: TLSFailure?
    /// The bytes from the server.
    private(set) var bytes: [UInt8] = []
    private var lateAnswers: [() -> Void] = []

    init(
        _ settings: TLSClientSettings = TLSClientSettings(serverName: "a.test"), _ context: TLSServerContext,
        resuming session: TLSSession? = nil
    ) throws {
        client = try TLSEngine(settings)
        if let session { client.resume(session) }
        server = TLSServerEngine(context)
    }

    /// Passes on bytes and answers until neither side has more.
    func run() {
        var isQuiet = false
        while !isQuiet {
            takeEvents()
            isQuiet = !passOutput()
            let input = server.takeOutput()
            if !input.isEmpty {
                isQuiet = false
                deliver(input)
            }
            if isQuiet, !lateAnswers.isEmpty {
                isQuiet = false
                let answers = lateAnswers
                lateAnswers = []
                answers.forEach { $0() }
            }
        }
    }

    /// Passes the client's bytes to the server.
    ///
    /// - Returns: Whether there were any.
    private func passOutput() -> Bool {
        guard let output = client.takeOutput() else { return false }
        var rest = output.readableBytesView
        while !rest.isEmpty {
            server.receive(rest.prefix(pieceSize))
            rest = rest.dropFirst(pieceSize)
        }
        return true
    }

    private func deliver(_ input: [UInt8]) {
        var input = input
        change(&input, bytes.count)
        let position = min(max(0, splitPosition - bytes.count), input.count)
        bytes += input
        for var rest in [input[..<position], input[position...]] {
            while !rest.isEmpty {
                client.receive(ByteBuffer(bytes: rest.prefix(pieceSize)))
                rest = rest.dropFirst(pieceSize)
                takeEvents()
            }
        }
    }

    func takeEvents() {
        while let event = client.next() {
            switch event {
            case .verificationRequested(let credentials):
                self.credentials.append(credentials)
                answer { [self] in
                    if let alert = verify(credentials) { client.refuse(alert) } else { client.approveServer() }
                }
            case .identityRequested(let request):
                requests.append(request)
                answer { [self] in client.use(selectIdentity(request)) }
            case .signatureRequested(let scheme, let message):
                answer { [self] in client.use(signature: sign(scheme, message)) }
            case .handshakeCompleted(let facts): self.facts = facts
            case .sessionReceived(let session): sessions.append(session)
            case .received(let bytes):
                received += bytes.readableBytesView
                receivedLengths.append(bytes.readableBytes)
            case .inputClosed: isInputClosed = true
            case .failed(let failure): self.failure = failure
            }
        }
    }

    private func answer(_ answer: @escaping () -> Void) {
        if answersLate { lateAnswers.append(answer) } else { answer() }
    }

    /// Sends bytes to the server.
    func send(_ bytes: [UInt8]) {
        client.send(ByteBuffer(bytes: bytes))
        client.flush()
        run()
    }

    /// Sends bytes to the client.
    func reply(_ bytes: [UInt8]) {
        server.send(bytes)
        run()
    }
}
