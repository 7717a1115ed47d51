// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClients
import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import SwiftASN1
import Testing
import X509

@Suite struct ACMEHTTPResponderTests {
    static let token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA"

    static func proof(_ name: String = "a.example") throws -> ChallengeProof {
        let key = try JSONWebKey(.init(P256.Signing.PrivateKey().publicKey))
        return ChallengeProof(
            identifier: try #require(ACMEIdentifier(name)), token: token,
            authorization: KeyAuthorization(token: token, key: key))
    }

    /// Sends bytes to a port, and returns everything received until the connection ends.
    static func exchange(_ text: String, port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var answer = ""
            for try await part in inbound { answer += String(buffer: part) }
            return answer
        }
    }

    @Test("The text is served at its path while it is presented, and all other requests fail") func lifetime()
        async throws
    {
        let responder = try await HTTPChallengeResponder.start(address: "127.0.0.1", port: 0)
        let proof = try Self.proof()
        func ask(_ path: String) async throws -> (status: Substring, body: String) {
            let answer = try await Self.exchange(
                "GET \(path) HTTP/1.1\r\nHost: a.example\r\n\r\n", port: responder.port)
            let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            return (answer.prefix { $0 != "\r\n" }, parts.count == 2 ? String(parts[1]) : "")
        }
        let path = "/.well-known/acme-challenge/\(Self.token)"
        #expect(try await ask(path) == ("HTTP/1.1 404 Not Found", ""))
        try await responder.present(proof)
        #expect(try await ask(path) == ("HTTP/1.1 200 OK", proof.authorization.text))
        for other in ["/", path + "/", path + "?a", path + "A", "/.well-known/acme-challenge/"] {
            #expect(try await ask(other) == ("HTTP/1.1 404 Not Found", ""), "\(other)")
        }
        await responder.withdraw(proof)
        #expect(try await ask(path) == ("HTTP/1.1 404 Not Found", ""))
        await responder.close()
        await #expect(throws: (any Error).self) { try await Self.exchange("", port: responder.port) }
    }

    @Test("Bytes that are not HTTP end the connection") func garbage() async throws {
        let responder = try await HTTPChallengeResponder.start(address: "127.0.0.1", port: 0)
        let answer = try await Self.exchange("\u{1}\u{2}\u{3}\r\n\r\n", port: responder.port)
        #expect(!answer.contains(" 200 "))
        await responder.close()
    }
}

@Suite struct ACMETLSResponderTests {
    /// The properties of a TLS handshake.
    struct Handshake: Sendable {
        var certificate: Certificate?
        var applicationProtocol: String?
    }

    /// Performs a handshake that records the certificate and accepts every issuer.
    static func performHandshake(
        port: Int, name: String?, protocols: [String] = [ValidationCertificate.applicationProtocol]
    ) async throws -> Handshake {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = protocols
        // The certificate for an address lacks the name that the client requests.
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        let seen = Box(Handshake())
        let ended = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(
                        context: context, serverHostname: name,
                        customVerificationCallback: { chain, promise in
                            let certificate = try? chain.first.map { try Certificate(derEncoded: $0.toDERBytes()) }
                            seen.change { $0.certificate = certificate }
                            promise.succeed(.certificateVerified)
                        })
                    try channel.pipeline.syncOperations.addHandlers(tls, EndHandler(ended, seen))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await ended.futureResult.get()
        try? await channel.close()
        return seen.value
    }

    /// Records the negotiated protocol, and waits for the end of the connection.
    private final class EndHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let ended: EventLoopPromise<Void>
        private let seen: Box<Handshake>

        init(_ ended: EventLoopPromise<Void>, _ seen: Box<Handshake>) { (self.ended, self.seen) = (ended, seen) }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted(let name)? = event as? TLSUserEvent {
                seen.change { $0.applicationProtocol = name }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func channelInactive(context: ChannelHandlerContext) { ended.succeed() }
    }

    @Test(
        "The certificate for the name contains the proof, and the connection ends after the handshake",
        arguments: [
            "a.example", "192.0.2.1", "2001:db8::1",
        ])
    func proof(name: String) async throws {
        let responder = try await TLSChallengeResponder.start(address: "127.0.0.1", port: 0)
        let proof = try ACMEHTTPResponderTests.proof(name)
        let serverName = ValidationCertificate.serverName(for: proof.identifier)
        #expect(try await Self.performHandshake(port: responder.port, name: serverName).certificate == nil)
        try await responder.present(proof)
        let seen = try await Self.performHandshake(port: responder.port, name: serverName)
        #expect(seen.applicationProtocol == "acme-tls/1")
        let certificate = try #require(seen.certificate)
        #expect(ValidationCertificate.proves(proof.authorization, in: certificate, for: proof.identifier))
        let upper = try await Self.performHandshake(port: responder.port, name: serverName.uppercased())
        #expect(upper.certificate == certificate)
        for other in ["b.example", nil] {
            #expect(try await Self.performHandshake(port: responder.port, name: other).certificate == nil)
        }
        await responder.withdraw(proof)
        #expect(try await Self.performHandshake(port: responder.port, name: serverName).certificate == nil)
        await responder.close()
    }

    @Test("A client with another protocol negotiates none") func otherProtocol() async throws {
        let responder = try await TLSChallengeResponder.start(address: "127.0.0.1", port: 0)
        try await responder.present(ACMEHTTPResponderTests.proof())
        let seen = try await Self.performHandshake(port: responder.port, name: "a.example", protocols: ["http/1.1"])
        #expect(seen.applicationProtocol == nil)
        await responder.close()
    }

    @Test("A name in upper case is answered") func upperCase() async throws {
        let responder = try await TLSChallengeResponder.start(address: "127.0.0.1", port: 0)
        let proof = try ACMEHTTPResponderTests.proof()
        let loud = ChallengeProof(
            identifier: ACMEIdentifier(type: .dns, value: "A.Example"), token: proof.token,
            authorization: proof.authorization)
        try await responder.present(loud)
        #expect(try await Self.performHandshake(port: responder.port, name: "a.example").certificate != nil)
        await responder.withdraw(loud)
        #expect(try await Self.performHandshake(port: responder.port, name: "a.example").certificate == nil)
        await responder.close()
    }
}
