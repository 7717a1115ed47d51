// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Identities
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An HTTPS server on 127.0.0.1 that answers every request with the same bytes.
struct FileServer {
    let url: String
    private let channel: any Channel

    static func start(_ bytes: [UInt8], as identity: Identity) async throws -> FileServer {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(identity.pemEncodedChain).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: identity.pemEncodedPrivateKey, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(FileHandler(bytes: bytes))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FileServer(url: "https://localhost:\(channel.localAddress?.port ?? 0)/Main.nib", channel: channel)
    }

    func stop() async throws { try await channel.close() }
}

private final class FileHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let fields = HTTPHeaders([("Content-Length", "\(bytes.count)"), ("Content-Type", "application/octet-stream")])
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
