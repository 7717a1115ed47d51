// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOHTTP1
internal import ServerConnections

/// A responder that listens on a port and answers `http-01` challenges (RFC 8555 section 8.3).
public final class HTTPChallengeResponder: ChallengeResponder {
    private let texts: NIOLockedValueBox<[String: String]>
    private let channel: any Channel

    private init(_ texts: NIOLockedValueBox<[String: String]>, _ channel: any Channel) {
        (self.texts, self.channel) = (texts, channel)
    }

    /// The kind of the challenges: `http-01`.
    public var kind: ACMEChallenge.Kind { .http01 }

    /// The port on which the responder listens.
    public var port: Int { channel.localAddress?.port ?? 0 }

    /// Starts a responder.
    ///
    /// - Parameters:
    ///   - address: The address to listen on. The default is every IPv4 address of the computer.
    ///   - port: The port, 0 to 65535. Authorities connect to port 80, the default. With 0, the system chooses a port.
    /// - Returns: The responder, which listens until ``close()`` is called.
    /// - Throws: SwiftNIO's error, such as `IOError`, if the address and the port cannot be bound.
    public static func start(address: String = "0.0.0.0", port: Int = 80) async throws -> HTTPChallengeResponder {
        let texts = NIOLockedValueBox<[String: String]>([:])
        let channel = try await ConnectionLimit().listen(address, port) { channel in
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false)
            try channel.pipeline.syncOperations.addHandlers(HTTPServerConnection(), TokenHandler(texts))
        }
        return HTTPChallengeResponder(texts, channel)
    }

    /// Makes the server respond with the proof to requests for the token's path.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: No error.
    public func present(_ proof: ChallengeProof) async throws {
        texts.withLockedValue { $0[KeyAuthorization.path(token: proof.token)] = proof.authorization.text }
    }

    /// Makes the server respond with 404 to requests for the token's path.
    ///
    /// - Parameter proof: The proof.
    public func withdraw(_ proof: ChallengeProof) async {
        texts.withLockedValue { $0[KeyAuthorization.path(token: proof.token)] = nil }
    }

    /// Stops listening; open connections end within 20 seconds.
    public func close() async { try? await channel.close() }
}

/// A handler that responds with the text of the requested path and accepts one request per connection.
private final class TokenHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let texts: NIOLockedValueBox<[String: String]>
    private var path = ""

    init(_ texts: NIOLockedValueBox<[String: String]>) { self.texts = texts }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): path = head.uri
        case .body: break
        case .end: respond(context)
        }
    }

    private func respond(_ context: ChannelHandlerContext) {
        let text = texts.withLockedValue { $0[path] }
        let body = ByteBuffer(string: text ?? "")
        let head = HTTPResponseHead(
            version: .http1_1, status: text == nil ? .notFound : .ok,
            headers: [
                "Content-Type": "application/octet-stream", "Content-Length": "\(body.readableBytes)",
                "Connection": "close",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
