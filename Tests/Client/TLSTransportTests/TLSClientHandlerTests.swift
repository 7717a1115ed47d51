// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOEmbedded
import TLSServer
import TLSTransport
import Testing
import TrustRecipes

@Suite struct TLSClientHandlerTests {
    private struct Distrust: Error {}

    @Test(
        "Writes before the end of the handshake follow it, and unflushed ones wait",
        arguments: TLSLibrary.available, [false, true])
    func earlyWrites(library: TLSLibrary, answersLate: Bool) throws {
        let exchange = try ChannelExchange(library, .init(issuers: []))
        exchange.delegate.answersLate = answersLate
        let writes = [exchange.write("GET ", flushes: false), exchange.write("/")]
        let unflushed = exchange.write("late", flushes: false)
        try exchange.connect()
        if answersLate {
            #expect(exchange.delegate.results.isEmpty)
            #expect(writes.allSatisfy { $0.result == nil })
            exchange.delegate.giveLateAnswers()
            try exchange.run()
            exchange.delegate.giveLateAnswers()
            try exchange.run()
        }
        #expect(exchange.delegate.results.count == 1)
        #expect(exchange.delegate.requests.count == 1)
        #expect(exchange.server.received == Array("GET /".utf8))
        #expect(writes.allSatisfy { $0.isSuccess })
        #expect(unflushed.result == nil)
        exchange.channel.flush()
        try exchange.run()
        #expect(exchange.server.received == Array("GET /late".utf8))
        #expect(unflushed.isSuccess)
    }

    @Test("Finished and the first request share a write", arguments: TLSLibrary.available)
    func coalescing(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        exchange.write("GET /")
        try exchange.connect()
        #expect(exchange.outputs.count == 2)
    }

    @Test(
        "A promise is completed when the socket has the bytes of its write, and not before",
        arguments: TLSLibrary.available)
    func promises(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        let gate = Gate()
        try exchange.channel.pipeline.syncOperations.addHandler(gate, position: .first)
        try exchange.connect()
        gate.isClosed = true
        let texts = (0..<4).map { String(repeating: "abcd"[$0], count: 40_000) }
        let writes = texts.map { exchange.write($0, flushes: false) }
        exchange.channel.flush()
        #expect(gate.held.count > 1)
        #expect(writes.allSatisfy { $0.result == nil })
        var completed: [Int] = []
        while !gate.held.isEmpty {
            try gate.release()
            try exchange.run()
            completed.append(writes.count(where: \.isSuccess))
        }
        let last = completed.last
        #expect(last == 4)
        // The first chunk completes only the writes that it contains.
        let first = try #require(completed.first)
        #expect(first < 4)
        #expect(exchange.server.received == texts.flatMap { Array($0.utf8) })
    }

    @Test("The promise of a write fails if the socket does", arguments: TLSLibrary.available)
    func failedWrite(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        let gate = Gate()
        try exchange.channel.pipeline.syncOperations.addHandler(gate, position: .first)
        try exchange.connect()
        gate.isClosed = true
        let writes = [exchange.write("a", flushes: false), exchange.write("b"), exchange.write("c")]
        gate.fail(Distrust())
        #expect(writes.allSatisfy { $0.error is Distrust })
    }

    @Test("An empty write keeps its place", arguments: TLSLibrary.available)
    func emptyWrite(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        try exchange.connect()
        #expect(exchange.write("").isSuccess)
        exchange.write("a")
        try exchange.run()
        #expect(exchange.server.received == Array("a".utf8))
    }

    @Test("A refusal reports the delegate's error, and the server receives its alert", arguments: TLSLibrary.available)
    func refusal(library: TLSLibrary) throws {
        for answersLate in [false, true] {
            let exchange = try ChannelExchange(library)
            exchange.delegate.answersLate = answersLate
            exchange.delegate.verify = { _ in throw TLSRefusal(.certificateExpired, because: Distrust()) }
            let write = exchange.write("GET /")
            try exchange.connect()
            exchange.delegate.giveLateAnswers()
            try exchange.run()
            #expect(exchange.delegate.error is Distrust)
            #expect(exchange.delegate.results.count == 1)
            #expect(exchange.server.alerts == [.certificateExpired])
            #expect(write.error is Distrust)
            #expect(!exchange.channel.isActive)
        }
    }

    @Test("A refusal without an alert sends the usual one", arguments: TLSLibrary.available)
    func plainRefusal(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library, .init(issuers: []))
        exchange.delegate.selectIdentity = { _ in throw Distrust() }
        try exchange.connect()
        #expect(exchange.delegate.error is Distrust)
        #expect(exchange.server.alerts == [.internalError])
        let other = try ChannelExchange(library)
        other.delegate.verify = { _ in throw Distrust() }
        try other.connect()
        #expect(other.server.alerts == [.certificateUnknown])
    }

    @Test("A server's alert in the handshake is the result", arguments: TLSLibrary.available)
    func serverAlert(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(
            library,
            .init(versions: .tls12 ... .tls12, issuers: [], requiresClientCertificate: true))
        try exchange.connect()
        #expect(exchange.delegate.error as? TLSFailure == .received(.handshakeFailure))
        #expect(!exchange.channel.isActive)
    }

    @Test(
        "A server's alert after the handshake reaches the handlers after the data before it",
        arguments: TLSLibrary.available)
    func lateAlert(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        try exchange.connect()
        exchange.server.send([1, 2])
        exchange.server.sendAlert(.certificateRequired)
        try exchange.run()
        #expect(exchange.recorder.received == [1, 2])
        #expect(exchange.recorder.completeReadCount == 1)
        #expect(exchange.recorder.errors as? [TLSFailure] == [.received(.certificateRequired)])
        #expect(exchange.recorder.isInactive)
        #expect(exchange.write("x").error != nil)
    }

    @Test("A close sends close_notify and does not wait for the server's", arguments: TLSLibrary.available)
    func close(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        try exchange.connect()
        let unflushed = exchange.write("never", flushes: false)
        exchange.channel.close(promise: nil)
        #expect(!exchange.channel.isActive)
        try exchange.run()
        #expect(exchange.server.hasReceivedCloseNotify)
        #expect(exchange.server.received.isEmpty)
        #expect(unflushed.error as? ChannelError == .ioOnClosedChannel)
        #expect(exchange.recorder.errors.isEmpty)
        #expect(exchange.recorder.isInactive)
    }

    @Test("A close during the handshake is its result", arguments: TLSLibrary.available)
    func closeInHandshake(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        exchange.delegate.answersLate = true
        try exchange.connect()
        exchange.channel.close(promise: nil)
        exchange.channel.embeddedEventLoop.run()
        #expect(exchange.delegate.error as? ChannelError == .eof)
        exchange.delegate.giveLateAnswers()
        #expect(exchange.delegate.results.count == 1)
    }

    @Test("The server's close_notify closes the channel without an error", arguments: TLSLibrary.available)
    func serverClose(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        try exchange.connect()
        exchange.server.send([1])
        exchange.server.close()
        try exchange.run()
        #expect(exchange.recorder.received == [1])
        #expect(exchange.recorder.completeReadCount == 1)
        #expect(exchange.recorder.errors.isEmpty)
        #expect(exchange.recorder.isInactive)
        #expect(exchange.server.hasReceivedCloseNotify)
    }

    @Test("An end without close_notify is an error", arguments: TLSLibrary.available)
    func truncation(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        try exchange.connect()
        exchange.channel.pipeline.fireChannelInactive()
        #expect(exchange.recorder.errors as? [TLSFailure] == [.truncated])
        #expect(exchange.recorder.isInactive)
        let early = try ChannelExchange(library)
        early.delegate.answersLate = true
        try early.connect()
        early.channel.pipeline.fireChannelInactive()
        #expect(early.delegate.error as? TLSFailure == .closed)
    }

    @Test("An error of the socket in the handshake is the result", arguments: TLSLibrary.available)
    func socketError(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        exchange.delegate.answersLate = true
        try exchange.connect()
        exchange.channel.pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "read"))
        #expect(exchange.delegate.error is IOError)
    }

    @Test("Handlers may write and close while they receive", arguments: TLSLibrary.available)
    func reentrancy(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library)
        try exchange.connect()
        exchange.recorder.react = { context in
            context.channel.writeAndFlush(ByteBuffer(string: "echo"), promise: nil)
        }
        exchange.server.send([1])
        exchange.server.send([2])
        try exchange.run()
        #expect(String(decoding: exchange.server.received, as: UTF8.self).hasPrefix("echo"))
        exchange.recorder.react = { $0.channel.close(promise: nil) }
        exchange.server.send([3])
        exchange.server.send([4])
        try exchange.run()
        #expect(exchange.recorder.isInactive)
        #expect(exchange.recorder.errors.isEmpty)
    }

    @Test(
        "While the delegate decides, a server cannot make the client store unlimited bytes",
        arguments: TLSLibrary.available)
    func backPressure(library: TLSLibrary) throws {
        let exchange = try ChannelExchange(library, .init(versions: .tls13 ... .tls13))
        let gate = Gate()
        try exchange.channel.pipeline.syncOperations.addHandler(gate, position: .first)
        exchange.delegate.answersLate = true
        try exchange.connect()
        gate.readCount = 0
        exchange.channel.read()
        #expect(gate.readCount == 1)
        exchange.channel.pipeline.fireChannelRead(ByteBuffer(repeating: 23, count: 70_000))
        exchange.channel.pipeline.fireChannelReadComplete()
        exchange.channel.read()
        #expect(gate.readCount == 1)
        exchange.delegate.giveLateAnswers()
        #expect(gate.readCount == 2)
        #expect(exchange.recorder.errors.count == 1)
    }

    @Test(
        "A closed channel releases its handler, with and without a late answer",
        arguments: TLSLibrary.available, [false, true])
    func lifetime(library: TLSLibrary, answersLate: Bool) throws {
        weak var handler: TLSClientHandler?
        do {
            let exchange = try ChannelExchange(library)
            exchange.delegate.answersLate = answersLate
            handler = exchange.handler
            try exchange.connect()
            exchange.channel.close(promise: nil)
            exchange.channel.embeddedEventLoop.run()
            exchange.delegate.giveLateAnswers()
        }
        #expect(handler == nil)
    }

    @Test("The delegate receives sessions, and supplies one for a later channel", arguments: TLSLibrary.available)
    func sessions(library: TLSLibrary) throws {
        let first = try ChannelExchange(library)
        try first.connect()
        first.server.send([1])
        try first.run()
        #expect(first.delegate.sessions.count == 2)
        let second = try ChannelExchange(library, context: first.server.context)
        second.delegate.session = first.delegate.sessions.first
        try second.connect()
        #expect(try second.delegate.results.first?.get().isResumed == true)
    }
}

/// A handler below TLS, which can hold back writes.
private final class Gate: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    var isClosed = false
    var readCount = 0
    private(set) var held: [(ByteBuffer, EventLoopPromise<Void>?)] = []
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) {
        readCount += 1
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isClosed else { return context.write(data, promise: promise) }
        held.append((unwrapOutboundIn(data), promise))
    }

    func release() throws {
        let (bytes, promise) = held.removeFirst()
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
    }

    func fail(_ error: any Error) {
        held.forEach { $0.1?.fail(error) }
        held = []
    }
}

extension String {
    fileprivate subscript(_ position: Int) -> Character { self[index(startIndex, offsetBy: position)] }
}
