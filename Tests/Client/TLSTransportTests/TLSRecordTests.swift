// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import TLSServer
import TLSTransport
import Testing
import TrustRecipes

/// Tests of records, of the end of a connection, and of damaged bytes.
@Suite struct TLSRecordTests {
    private func connected(_ variant: Variant) throws -> Exchange {
        let exchange = try Exchange(variant.settings(), TLSServerContext(.init(versions: variant.versions)))
        exchange.run()
        try #require(exchange.facts != nil)
        return exchange
    }

    /// Returns the lengths of the records in bytes.
    private func records(_ output: ByteBuffer?) -> [Int] {
        guard var output else { return [] }
        var lengths: [Int] = []
        while output.readSlice(length: 3) != nil, let length = output.readInteger(as: UInt16.self) {
            lengths.append(Int(length))
            output.moveReaderIndex(forwardBy: Int(length))
        }
        return lengths
    }

    @Test("Small writes share a record, and the first flight has small records", arguments: Variant.all)
    func sizes(variant: Variant) throws {
        let exchange = try connected(variant)
        // The content type and the tag, or the explicit nonce and the tag.
        let overhead = variant.version == .tls13 ? 17 : 24
        for text in ["GET / ", "HTTP/1.1\r\n", "\r\n"] { exchange.client.send(ByteBuffer(string: text)) }
        exchange.client.flush()
        let head = exchange.client.takeOutput()
        #expect(records(head) == [18 + overhead])
        exchange.server.receive(try #require(head).readableBytesView)
        exchange.client.send(ByteBuffer(repeating: 1, count: 50_000))
        exchange.client.flush()
        let body = exchange.client.takeOutput()
        #expect(
            records(body).map { $0 - overhead }
                == [Int](repeating: 1_400, count: 10) + [16_384, 16_384, 50_000 - 14_000 - 2 * 16_384])
        exchange.server.receive(try #require(body).readableBytesView)
        #expect(exchange.server.received.count == 50_018)
    }

    @Test("Bytes arrive in order for every size of writes", arguments: Variant.all)
    func order(variant: Variant) throws {
        let exchange = try connected(variant)
        var random = SplitMix64(seed: 7)
        var sent: [UInt8] = []
        for _ in 0..<400 {
            let bytes = (0..<random.next() % 3_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            sent += bytes
            exchange.client.send(ByteBuffer(bytes: bytes))
            if random.next() % 3 == 0 { exchange.client.flush() }
        }
        exchange.send([])
        #expect(exchange.server.received == sent)
        exchange.reply(Array(sent.prefix(100_000)))
        #expect(exchange.received == Array(sent.prefix(100_000)))
    }

    @Test("A record that arrives in pieces is passed on at once", arguments: Variant.all)
    func pieces(variant: Variant) throws {
        let exchange = try connected(variant)
        exchange.pieceSize = 2_000
        exchange.reply([UInt8](repeating: 3, count: 16_000))
        #expect(exchange.receivedLengths.count <= 2)
        #expect(exchange.received.count == 16_000)
    }

    @Test("Nothing is stored when all bytes were passed on", arguments: Variant.all)
    func idle(variant: Variant) throws {
        let exchange = try connected(variant)
        exchange.send([1])
        exchange.reply([2])
        #expect(exchange.client.pendingInput == 0)
        #expect(exchange.client.outputCount == 0)
        #expect(exchange.client.takeOutput() == nil)
    }

    @Test("A close sends all bytes and close_notify, and ignores the server's bytes", arguments: Variant.all)
    func close(variant: Variant) throws {
        let exchange = try connected(variant)
        exchange.client.send(ByteBuffer(bytes: [1, 2]))
        exchange.client.close()
        exchange.client.close()
        exchange.run()
        #expect(exchange.server.received == [1, 2])
        #expect(exchange.server.hasReceivedCloseNotify)
        #expect(!exchange.client.canSend)
        exchange.reply([3, 4])
        exchange.client.receiveEnd()
        exchange.run()
        #expect(exchange.received == [])
        #expect(exchange.failure == nil)
    }

    @Test("After the server's close_notify, the client may send, and ignores bytes", arguments: Variant.all)
    func sendAfterEnd(variant: Variant) throws {
        let exchange = try connected(variant)
        exchange.server.close()
        exchange.run()
        #expect(exchange.isInputClosed)
        exchange.client.receive(ByteBuffer(bytes: [9, 9, 9]))
        exchange.client.receiveEnd()
        exchange.send([5])
        #expect(exchange.failure == nil)
        #expect(exchange.client.canSend)
    }

    @Test("An end without close_notify is a failure", arguments: Variant.all)
    func truncation(variant: Variant) throws {
        let exchange = try connected(variant)
        exchange.client.receiveEnd()
        exchange.run()
        #expect(exchange.failure == .truncated)
        #expect(!exchange.client.canSend)
        let early = try Exchange(variant.settings(), TLSServerContext())
        early.client.receiveEnd()
        early.run()
        #expect(early.failure == .closed)
    }

    @Test(
        "A server that does not speak TLS is recognized", arguments: TLSLibrary.available,
        ["HTTP/1.1 400 Bad", "SSH-2.0", "\u{0}"])
    func notTLS(library: TLSLibrary, text: String) throws {
        let exchange = try Exchange(.init(serverName: nil, library: library), TLSServerContext())
        exchange.takeEvents()
        exchange.client.receive(ByteBuffer(string: text))
        exchange.takeEvents()
        #expect(exchange.failure == .notTLS)
    }

    @Test("A fatal alert after the handshake is the failure", arguments: Variant.all)
    func lateAlert(variant: Variant) throws {
        let exchange = try connected(variant)
        exchange.server.send([1, 2])
        exchange.server.sendAlert(.internalError)
        exchange.run()
        #expect(exchange.received == [1, 2])
        #expect(exchange.failure == .received(.internalError))
    }

    @Test("An alert without a name keeps its number", arguments: Variant.all)
    func unnamedAlert(variant: Variant) throws {
        let exchange = try connected(variant)
        exchange.server.sendAlert(TLSAlert(rawValue: 119))
        exchange.run()
        let failure = try #require(exchange.failure)
        #expect(failure == .received(TLSAlert(rawValue: 119)))
        #expect(TLSAlert(rawValue: 119).description == "alert 119")
    }

    @Test(
        "A handshake completes wherever its bytes are split in two", arguments: Variant.all)
    func splits(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions, issuers: []))
        let full = try Exchange(variant.settings(), context)
        full.run()
        // Another test splits at all positions at once.
        for position in stride(from: 1, to: full.bytes.count, by: 5) {
            let exchange = try Exchange(variant.settings(), context)
            exchange.splitPosition = position
            exchange.run()
            exchange.reply([1])
            #expect(exchange.received == [1])
            guard exchange.received == [1] else { return }
        }
    }

    @Test("A damaged byte at any position ends in a failure or changes nothing", arguments: Variant.all)
    func damage(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions, staple: [1, 2, 3], issuers: []))
        let full = try Exchange(variant.settings(), context)
        full.run()
        full.reply([1])
        var random = SplitMix64(seed: 5)
        for position in full.bytes.indices {
            let exchange = try Exchange(variant.settings(), context)
            let bit = UInt8(1) << (random.next() % 8)
            exchange.change = { bytes, start in
                if bytes.indices.contains(position - start) { bytes[position - start] ^= bit }
            }
            exchange.run()
            if exchange.facts != nil { exchange.reply([1]) }
            exchange.client.receiveEnd()
            exchange.run()
            let failure = exchange.failure
            let isKnown =
                switch failure {
                case .received, .violation, .notTLS, .closed, .truncated: true
                default: false
                }
            #expect(isKnown, "position \(position): \(String(describing: failure))")
            #expect(exchange.client.hasEnded)
            // A damaged record never yields data.
            #expect(exchange.received.isEmpty || exchange.received == [1])
        }
    }

    @Test("Random bytes after any part of a handshake end the connection", arguments: Variant.all)
    func garbage(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions, issuers: []))
        let full = try Exchange(variant.settings(), context)
        full.run()
        var random = SplitMix64(seed: 3)
        for position in stride(from: 0, to: full.bytes.count, by: 13) {
            let exchange = try Exchange(variant.settings(), context)
            exchange.change = { bytes, start in
                for index in bytes.indices where start + index >= position {
                    bytes[index] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            exchange.run()
            exchange.client.receiveEnd()
            exchange.run()
            #expect(exchange.failure != nil)
        }
    }

    @Test(
        "Removed, repeated and foreign records end in a failure or change nothing",
        arguments: Variant.all)
    func changedRecords(variant: Variant) throws {
        // A warning, an alert, a HelloRequest, a ChangeCipherSpec, and empty records.
        let records: [[UInt8]] = [
            [21, 3, 3, 0, 2, 1, 90], [21, 3, 3, 0, 2, 2, 40], [22, 3, 3, 0, 4, 0, 0, 0, 0], [20, 3, 3, 0, 1, 1],
            [23, 3, 3, 0, 0], [22, 3, 3, 0, 0],
        ]
        let context = try TLSServerContext(.init(versions: variant.versions, issuers: []))
        var random = SplitMix64(seed: 11)
        for _ in 0..<300 {
            let exchange = try Exchange(variant.settings(), context)
            exchange.pieceSize = Int(random.next() % 400) + 1
            exchange.change = { bytes, _ in
                let position = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 6 {
                case 0: bytes.remove(at: position)
                case 1: bytes.removeSubrange(position...)
                case 2: bytes.insert(contentsOf: bytes[position...].prefix(300), at: position)
                case 3:
                    bytes.insert(
                        contentsOf: bytes.prefix(5 + bytes.dropFirst(3).prefix(2).reduce(0) { $0 << 8 | Int($1) }),
                        at: 0)
                case 4: bytes.insert(contentsOf: records[Int(random.next() % UInt64(records.count))], at: 0)
                default: break
                }
            }
            exchange.run()
            if exchange.facts != nil { exchange.reply([1]) }
            exchange.client.receiveEnd()
            exchange.run()
            #expect(exchange.client.hasEnded)
            #expect(exchange.failure != nil)
            #expect(exchange.received.isEmpty || exchange.received == [1])
        }
    }
}
