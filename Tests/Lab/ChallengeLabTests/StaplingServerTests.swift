// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLabTesting
import ErrorExplanations
import Foundation
import NIOCore
import NIOPosix
import SwiftASN1
import TLSTransport
import Testing
import X509

@testable import ChallengeLab

/// Tests of the servers that staple OCSP responses and send timestamps by TLS.
@Suite struct StaplingServerTests {
    private static let kinds: [LabServer.Kind] = [
        .mustStaple, .stapled, .stapleOutdated, .stapleOfOtherCertificate, .stapleRevoked, .timestampsByTLS,
        .timestampsMissing,
    ]
    private static let program = "/usr/bin/openssl"

    @Test(
        "A client that receives staples and timestamps finds each server as in the catalogue",
        .lab(Set(kinds)), arguments: kinds)
    func verdicts(kind: LabServer.Kind) async throws {
        let lab = try #require(Lab.current)
        let (credentials, body) = try await Self.connect(to: lab[kind])
        #expect((credentials.staple != nil) == (kind.tls?.staple != nil))
        #expect((credentials.timestamps != nil) == (kind == .timestampsByTLS))
        #expect(body.hasSuffix("Countersign lab\n"))
        var policy = TrustPolicy(anchors: .only([lab.authority]))
        if kind.needs.contains(.logList) {
            policy.transparency = CertificateTransparency(logs: try TransparencyLogList(json: lab.logList))
        }
        let chain = try #require(PresentedChain(credentials.chain.map { try Certificate(derEncoded: $0) }))
        let evidence = TrustEvidence(
            revocation: RevocationEvidence(responses: credentials.staple.map { [.init(stapled: $0)] } ?? []),
            timestamps: credentials.timestamps.map { TimestampList(handshake: $0) })
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            chain, for: try HostName("localhost"), at: Date(), with: evidence)
        #expect(verdict.failure?.explanation.code == kind.failureCode, "\(verdict)")
        #expect(verdict.isTrusted == (kind.expectation == .delivered))
        #expect(verdict.remarks.contains { $0.code == "stapled" } == (kind == .stapled))
        #expect(verdict.wanted.isEmpty == (kind != .mustStaple))
        if kind == .timestampsByTLS { #expect(verdict.timestamps.map(\.status) == [.valid, .valid]) }
    }

    @Test("A fault can cut off a connection of these servers below TLS", .lab([.stapled])) func cut() async throws {
        let server = try #require(Lab.current)[.stapled]
        await #expect(throws: TLSFailure.truncated) {
            try await Self.connect(to: server, path: "/fault/cut-in-body")
        }
    }

    @Test(
        "OpenSSL prints the status in each staple", .lab(Set(kinds)),
        .enabled(if: FileManager.default.isExecutableFile(atPath: program)), arguments: ["-tls1_2", "-tls1_3"])
    func openSSL(version: String) async throws {
        let lab = try #require(Lab.current)
        for kind in Self.kinds {
            let text = try await Self.status(of: lab[kind], version)
            switch kind {
            case .stapled, .stapleOutdated, .stapleOfOtherCertificate:
                #expect(text.contains("Cert Status: good"), "\(kind)")
            case .stapleRevoked: #expect(text.contains("Cert Status: revoked"))
            default: #expect(text.contains("OCSP response: no response sent"), "\(kind)")
            }
        }
    }

    private static func status(of server: LabServer, _ version: String) async throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = ["s_client", "-connect", "127.0.0.1:\(server.port)", "-status", version]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let file = output.fileHandleForReading
        return try await Task.detached { String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self) }.value
    }

    /// Returns the server's credentials, and its response to a request.
    @discardableResult
    private static func connect(
        to server: LabServer, path: String = "/"
    ) async throws -> (TLSServerCredentials, String) {
        let (events, continuation) = AsyncStream.makeStream(of: CredentialsClient.Event.self)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let engine = try TLSEngine(TLSClientSettings(serverName: "localhost"))
                    let client = CredentialsClient(continuation, path)
                    try channel.pipeline.syncOperations.addHandler(TLSClientHandler(engine, delegate: client))
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
        var (credentials, text) = (TLSServerCredentials?.none, "")
        for await event in events {
            switch event {
            case .presented(let presented): credentials = presented
            case .received(let bytes): text += String(buffer: bytes)
            case .failed(let error): throw error
            }
        }
        try await channel.closeFuture.get()
        return (try #require(credentials), text)
    }
}

/// A client that accepts every server, and sends a request.
private final class CredentialsClient: TLSClientDelegate, ChannelInboundHandler {
    enum Event: Sendable {
        case presented(TLSServerCredentials)
        case received(ByteBuffer)
        case failed(any Error)
    }

    typealias InboundIn = ByteBuffer

    private let events: AsyncStream<Event>.Continuation

    private let path: String

    init(_ events: AsyncStream<Event>.Continuation, _ path: String) { (self.events, self.path) = (events, path) }

    func handshakeStarted(on channel: any Channel) -> TLSSession? { nil }

    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>) {
        events.yield(.presented(credentials))
        promise.succeed()
    }

    func selectIdentity(for request: TLSIdentityRequest, promise: EventLoopPromise<TLSIdentity?>) {
        promise.succeed(nil)
    }

    func sessionReceived(_ session: TLSSession) {}

    func handshakeEnded(_ result: Result<TLSConnectionFacts, any Error>, on channel: any Channel) {
        do {
            _ = try result.get()
            try channel.pipeline.syncOperations.addHandler(self)
            let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
        } catch {
            events.yield(.failed(error))
            events.finish()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { events.yield(.received(unwrapInboundIn(data))) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { events.yield(.failed(error)) }

    func channelInactive(context: ChannelHandlerContext) { events.finish() }
}
