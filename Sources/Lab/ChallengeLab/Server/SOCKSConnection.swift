// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix
import NIOSOCKS

/// A connection to a SOCKS 5 proxy, which accepts only loopback destinations, so that a lab is not an open relay.
final class SOCKSConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ClientMessage
    typealias OutboundOut = ServerMessage

    private let gate: SOCKSGate
    private let service: LabService
    private let connections: ConnectionSet
    private var login = ByteBuffer()
    /// Whether the SOCKS exchange is complete, so that further data is not a SOCKS message.
    ///
    /// NIO's handler passes its remaining bytes on when it is removed, even if there are none (swift-nio-extras 1.35).
    private var isFinished = false

    private init(gate: SOCKSGate, service: LabService, connections: ConnectionSet) {
        (self.gate, self.service, self.connections) = (gate, service, connections)
    }

    static func addHandlers(
        to channel: any Channel, behind gate: SOCKSGate, service: LabService, connections: ConnectionSet
    ) throws {
        try channel.pipeline.syncOperations.addHandlers(
            SOCKSServerHandshakeHandler(),
            SOCKSConnection(gate: gate, service: service, connections: connections))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFinished else { return context.fireChannelRead(data) }
        switch unwrapInboundIn(data) {
        case .greeting(let greeting): choose(among: greeting.methods, context)
        case .authenticationData(let part): receiveLogin(part, context)
        case .request(let request): open(request, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isFinished = true
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: Authentication

    private func choose(among methods: [AuthenticationMethod], _ context: ChannelHandlerContext) {
        let wanted: AuthenticationMethod = gate == .open ? .noneRequired : .usernamePassword
        guard methods.contains(wanted) else {
            return end(.selectedAuthenticationMethod(.init(method: .noneAcceptable)), context)
        }
        send(.selectedAuthenticationMethod(.init(method: wanted)), context)
    }

    /// Processes a login (RFC 1929 section 2).
    private func receiveLogin(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        login.writeImmutableBuffer(part)
        var reader = login
        guard let version = reader.readInteger(as: UInt8.self), let user = reader.readLengthPrefixedText(),
            let password = reader.readLengthPrefixedText()
        else { return }
        service.noteRequest()
        let isKnown = version == 1 && reader.readableBytes == 0 && gate.admits(user: user, password: password)
        let status = ServerMessage.authenticationData(ByteBuffer(bytes: [1, isKnown ? 0 : 1]), complete: isKnown)
        isKnown ? send(status, context) : end(status, context)
    }

    // MARK: Connection to the origin

    private func open(_ request: SOCKSRequest, _ context: ChannelHandlerContext) {
        if gate == .open { service.noteRequest() }
        guard request.command == .connect else { return refuse(.commandUnsupported, context) }
        guard let port = request.addressType.loopbackPort else { return refuse(.notAllowed, context) }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                let (handler, context) = bound.value
                switch result {
                case .failure:
                    handler.refuse(.refused, context)
                case .success(let origin):
                    handler.connections.insert(origin)
                    handler.join(origin, context)
                }
            }
    }

    private func refuse(_ reply: SOCKSServerReply, _ context: ChannelHandlerContext) {
        end(.response(SOCKSResponse(reply: reply, boundAddress: .domain("", port: 0))), context)
    }

    /// Removes SOCKS from the client's channel and joins it with the origin's channel.
    private func join(_ origin: any Channel, _ context: ChannelHandlerContext) {
        isFinished = true
        let client = context.channel
        // A client that has just closed its connection causes no second inactive event.
        guard client.isActive else { return origin.close(promise: nil) }
        send(.response(SOCKSResponse(reply: .succeeded, boundAddress: .domain("localhost", port: 0))), context)
        do {
            let (near, far) = RelayHandler.pair()
            try origin.pipeline.syncOperations.addHandler(far)
            try client.pipeline.syncOperations.addHandler(near)
            let handshake = try client.pipeline.syncOperations.handler(type: SOCKSServerHandshakeHandler.self)
            client.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            client.pipeline.syncOperations.removeHandler(handshake, promise: nil)
        } catch {
            origin.close(promise: nil)
            return client.close(promise: nil)
        }
        _ = origin.setOption(.autoRead, value: true)
    }

    private func send(_ message: ServerMessage, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(message), promise: nil)
    }

    private func end(_ message: ServerMessage, _ context: ChannelHandlerContext) {
        send(message, context)
        context.close(promise: nil)
    }
}

extension SOCKSAddress {
    /// The destination port; `nil` if the destination is not loopback.
    fileprivate var loopbackPort: Int? {
        switch self {
        case .address(let address): ["127.0.0.1", "::1"].contains(address.ipAddress ?? "") ? address.port : nil
        case .domain(let name, let port): name.lowercased() == "localhost" ? port : nil
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func readLengthPrefixedText() -> String? {
        readLengthPrefixedSlice(as: UInt8.self).map { String(buffer: $0) }
    }
}
