// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An error of a D-Bus call.
enum DBusFailure: Error {
    /// The connection is closed. Holds the reason.
    case closed(String)
    /// The callee returned an error. Holds its name.
    case refused(String)
}

/// A connection to the system message bus.
///
/// It is a small client that only calls methods and receives signals; libavahi-client would do the same, but needs a
/// second event loop and more linked libraries.
actor DBusConnection {
    private let channel: any Channel
    private var lastSerial: UInt32 = 0
    private var calls: [UInt32: CheckedContinuation<[DBusValue], any Error>] = [:]
    private var subscribers: [String: AsyncStream<DBusMessage>.Continuation] = [:]
    /// The signals of objects whose path is not known yet, because the reply with the path has not arrived.
    private var earlySignals: [DBusMessage] = []
    private var closed: String?
    private static let maximumEarlySignalCount = 4096

    private init(channel: any Channel) { self.channel = channel }

    /// Connects to the bus that the environment specifies, or to the default bus.
    static func connectToSystemBus() async throws -> DBusConnection {
        let (frames, continuation) = AsyncStream<DBusFrame>.makeStream()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(DBusFrameDecoder()), DBusFrameHandler(continuation))
                }
            }
            .connect(unixDomainSocketPath: try socketPath()).get()
        let connection = DBusConnection(channel: channel)
        do {
            // SASL EXTERNAL: the kernel tells the bus the user ID of this process.
            let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
            try await channel.writeAndFlush(ByteBuffer(string: "\0AUTH EXTERNAL \(user)\r\n")).get()
            var iterator = frames.makeAsyncIterator()
            guard case .authenticated? = await iterator.next() else {
                throw DBusFailure.closed("it rejected the authentication")
            }
            try await channel.writeAndFlush(ByteBuffer(string: "BEGIN\r\n")).get()
        } catch {
            try? await channel.close().get()
            throw error
        }
        Task { [weak connection] in
            for await case .message(let message) in frames { await connection?.receive(message) }
            await connection?.end("the bus has closed the connection")
        }
        _ = try await connection.call(.bus, "Hello")
        return connection
    }

    private static func socketPath() throws -> String {
        let address =
            ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
        for one in address.split(separator: ";") where one.hasPrefix("unix:") {
            for pair in one.dropFirst("unix:".count).split(separator: ",") where pair.hasPrefix("path=") {
                return String(pair.dropFirst("path=".count))
            }
        }
        throw DBusFailure.closed("the address \(address) contains no socket path")
    }

    /// An object of a bus client.
    struct Object: Sendable {
        let destination: String
        let path: String
        let interface: String

        static let bus = Object(
            destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
    }

    /// Calls a method and waits for its reply.
    func call(_ object: Object, _ member: String, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
        if let closed { throw DBusFailure.closed(closed) }
        lastSerial += 1
        let serial = lastSerial
        var message = DBusMessage(.methodCall)
        message.serial = serial
        (message.destination, message.path) = (object.destination, object.path)
        (message.interface, message.member, message.body) = (object.interface, member, arguments)
        let bytes = ByteBuffer(bytes: message.encoded)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                calls[serial] = continuation
                channel.writeAndFlush(bytes, promise: nil)
                // If the task was already cancelled, the handler ran before the call was registered.
                if Task.isCancelled { cancel(serial) }
            }
        } onCancel: {
            Task { await self.cancel(serial) }
        }
    }

    private func cancel(_ serial: UInt32) {
        calls.removeValue(forKey: serial)?.resume(throwing: CancellationError())
    }

    /// Returns the signals of an object, including signals received before its path was known.
    func signals(of path: String) -> AsyncStream<DBusMessage> {
        let (stream, continuation) = AsyncStream<DBusMessage>.makeStream()
        for message in earlySignals where message.path == path { continuation.yield(message) }
        earlySignals.removeAll { $0.path == path }
        if closed != nil { continuation.finish() }
        subscribers[path] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.unsubscribe(path) } }
        return stream
    }

    private func unsubscribe(_ path: String) { subscribers[path] = nil }

    private func receive(_ message: DBusMessage) {
        switch message.kind {
        case .methodReturn:
            message.replySerial.flatMap { calls.removeValue(forKey: $0) }?.resume(returning: message.body)
        case .error:
            message.replySerial.flatMap { calls.removeValue(forKey: $0) }?.resume(
                throwing: DBusFailure.refused(message.errorName ?? "without a name"))
        case .signal:
            if let subscriber = message.path.flatMap({ subscribers[$0] }) {
                subscriber.yield(message)
            } else if earlySignals.count < Self.maximumEarlySignalCount {
                earlySignals.append(message)
            }
        case .methodCall: break
        }
    }

    private func end(_ reason: String) {
        guard closed == nil else { return }
        closed = reason
        for call in calls.values { call.resume(throwing: DBusFailure.closed(reason)) }
        for subscriber in subscribers.values { subscriber.finish() }
        (calls, subscribers) = ([:], [:])
    }

    /// Closes the connection, which also releases the peer's resources for this client.
    func close() async {
        end("it was closed")
        try? await channel.close().get()
    }
}

/// A frame received on the connection.
enum DBusFrame: Sendable {
    case authenticated
    case message(DBusMessage)
}

/// Splits the bytes into one line, followed by messages.
struct DBusFrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = DBusFrame

    private var isAuthenticated = false
    private static let longestLine = 4096

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard isAuthenticated else {
            guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
                guard buffer.readableBytes <= Self.longestLine else { throw MalformedDBusMessage() }
                return .needMoreData
            }
            let line = buffer.readString(length: end + 1 - buffer.readerIndex) ?? ""
            guard line.hasPrefix("OK ") else { throw DBusFailure.closed("it rejected the authentication") }
            isAuthenticated = true
            context.fireChannelRead(wrapInboundOut(.authenticated))
            return .continue
        }
        guard let length = try DBusMessage.length(of: buffer.readableBytesView),
            let bytes = buffer.readBytes(length: length)
        else { return .needMoreData }
        context.fireChannelRead(wrapInboundOut(.message(try DBusMessage(decoding: bytes))))
        return .continue
    }
}

/// Closes the connection if the bytes cannot be decoded.
private final class DBusFrameHandler: ChannelInboundHandler {
    typealias InboundIn = DBusFrame

    private let continuation: AsyncStream<DBusFrame>.Continuation

    init(_ continuation: AsyncStream<DBusFrame>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
