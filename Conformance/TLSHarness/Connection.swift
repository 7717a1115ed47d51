// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import Identities
import NIOCore
import NIOPosix
import TLSTransport

/// A connection that sends a line, and reads the first line of the response.
final class Connection {
    /// The properties of a connection.
    struct Result: Encodable {
        /// The failure; `nil` for none.
        var failure: String?
        /// The first line of the response; `nil` if the server sent none.
        var line: String?
        var version: String?
        var suite: String?
        var group: String?
        var scheme: String?
        var alpn: String?
        var isResumed: Bool?
        /// The stapled response, in hexadecimal.
        var staple: String?
        /// The number of bytes of the list of timestamps.
        var timestampsCount: Int?
        /// The phases in which the server requested an identity.
        var requests: [String] = []
        /// The numbers of the acceptable issuers in each request.
        var issuerCounts: [Int] = []
        /// The secret of 20 bytes for the label `EXPORTER-interop`, in hexadecimal.
        var secret: String?
    }

    private(set) var result = Result()
    /// The last session that the server offered.
    private(set) var session: TLSSession?

    private let identity: TLSIdentity?
    /// The alert with which the server is refused; `nil` if it is trusted.
    private let alert: TLSAlert?
    private let request: ByteBuffer?
    private var response = ByteBuffer()
    private var isComplete = false

    /// Creates a connection that sends a line, or that ends after the handshake.
    init(identity: TLSIdentity?, alert: TLSAlert?, line: String?) {
        (self.identity, self.alert) = (identity, alert)
        request = line.map { ByteBuffer(string: $0 + "\n") }
    }

    /// Connects to a port of 127.0.0.1, and exchanges bytes until the connection is complete or has failed.
    func run(_ settings: TLSClientSettings, resuming session: TLSSession?, port: Int) async {
        do {
            let engine = try TLSEngine(settings)
            if let session { engine.resume(session) }
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            try await channel.executeThenClose { inbound, outbound in
                var input = inbound.makeAsyncIterator()
                while true {
                    advance(engine)
                    // A server that has closed the connection may have sent the reason before.
                    if let output = engine.takeOutput() { try? await outbound.write(output) }
                    guard !isComplete else { break }
                    if let bytes = try? await input.next() { engine.receive(bytes) } else { engine.receiveEnd() }
                }
            }
        } catch let failure as TLSFailure {
            result.failure = failure.text
        } catch {
            result.failure = result.failure ?? "\(error)"
        }
    }

    private func advance(_ engine: TLSEngine) {
        while !isComplete, let event = engine.next() {
            switch event {
            case .verificationRequested(let credentials): decide(on: credentials, engine)
            case .identityRequested(let request):
                result.requests.append("\(request.phase)")
                result.issuerCounts.append(request.issuers.count)
                engine.use(identity)
            case .signatureRequested: engine.refuse(.internalError)
            case .handshakeCompleted(let facts): complete(facts, engine)
            case .sessionReceived(let session): self.session = session
            case .received(let bytes): receive(bytes, engine)
            case .inputClosed:
                result.failure = "closed by close_notify"
                isComplete = true
            case .failed(let failure):
                result.failure = failure.text
                isComplete = true
            }
        }
    }

    private func decide(on credentials: TLSServerCredentials, _ engine: TLSEngine) {
        result.staple = credentials.staple.map { Hexadecimal.encode($0) }
        result.timestampsCount = credentials.timestamps?.count
        if let alert { engine.refuse(alert) } else { engine.approveServer() }
    }

    private func complete(_ facts: TLSConnectionFacts, _ engine: TLSEngine) {
        (result.version, result.suite) = (facts.version.name, facts.cipherSuite)
        (result.group, result.scheme) = (facts.group?.description, facts.signatureScheme?.description)
        (result.alpn, result.isResumed) = (facts.applicationProtocol, facts.isResumed)
        result.secret = engine.exportSecret(label: "EXPORTER-interop", length: 20).map { Hexadecimal.encode($0) }
        if let request {
            engine.send(request)
            engine.flush()
        } else {
            finish(engine)
        }
    }

    private func receive(_ bytes: ByteBuffer, _ engine: TLSEngine) {
        response.writeImmutableBuffer(bytes)
        guard let end = response.readableBytesView.firstIndex(of: 10) else { return }
        let line = response.readableBytesView[..<end]
        result.line = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        finish(engine)
    }

    private func finish(_ engine: TLSEngine) {
        engine.close()
        isComplete = true
    }
}

extension TLSFailure {
    /// The failure with the side that ended the connection and the alert.
    fileprivate var text: String {
        switch self {
        case .received(let alert): "received \(alert)"
        case .violation(let reason, nil): "ended (\(reason))"
        case .violation(let reason, let alert?): "sent \(alert) (\(reason))"
        case .refused(let alert): "refused with \(alert)"
        case .notTLS: "not TLS"
        case .closed: "closed in the handshake"
        case .truncated: "truncated"
        case .renegotiationRefused: "renegotiation refused"
        case .unusableIdentity(let reason): "unusable identity (\(reason))"
        case .unusableSettings(let reason): "unusable settings (\(reason))"
        case .heldKey: "key outside memory"
        case .unavailable(let library, _): "\(library) is unavailable"
        }
    }
}
