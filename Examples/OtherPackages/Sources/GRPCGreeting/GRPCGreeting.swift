// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CertificateTrustNIOSSL
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Identities
import X509

/// A gRPC server that admits only clients with certain certificates, and its client.
///
/// Usage: GRPCGreeting serve ROOT.pem SERVER.pem PORT NAME...
///        GRPCGreeting call ROOT.pem CLIENT.pem PORT
@main struct GRPCGreeting {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4, let port = Int(arguments[4]) else {
            print("Usage: GRPCGreeting serve|call ROOT.pem IDENTITY.pem PORT [NAME...]")
            exit(2)
        }
        let anchors = try CertificateFile.certificates(in: Data(contentsOf: URL(filePath: arguments[2])))
        let identity = try Identity.read(Array(Data(contentsOf: URL(filePath: arguments[3]))))
        let policy = TrustPolicy(anchors: .only(anchors))
        if arguments[1] == "serve" {
            try await serve(identity, policy: policy, names: Array(arguments[5...]), port: port)
        } else {
            try await call(identity, policy: policy, port: port)
        }
    }

    private static func serve(_ identity: Identity, policy: TrustPolicy, names: [String], port: Int) async throws {
        let verifier = try policy.verifyingClients(named: names) { outcome in
            if case .failure(let error) = outcome { write("\(error)") }
        }
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: port),
            transportSecurity: .mTLS(certificateChain: try identity.grpcChain, privateKey: try identity.grpcKey) {
                $0.customVerificationCallback = verifier.callbackWithMetadata
            })
        try await withGRPCServer(transport: transport, services: [Greeter()]) { _ in
            _ = try await transport.listeningAddress
            write("The server is running.")
            try await Task.sleep(for: .seconds(3600))
        }
    }

    private static func call(_ identity: Identity, policy: TrustPolicy, port: Int) async throws {
        let refusals = AsyncStream.makeStream(of: PeerVerificationError.self)
        let verifier = try policy.verifying("localhost") { outcome in
            if case .failure(let error) = outcome { refusals.continuation.yield(error) }
        }
        let transport = try HTTP2ClientTransport.Posix(
            target: .dns(host: "localhost", port: port),
            transportSecurity: .mTLS(certificateChain: try identity.grpcChain, privateKey: try identity.grpcKey) {
                // The verifier also compares the name of the host.
                $0.serverCertificateVerification = .noHostnameVerification
                $0.customVerificationCallback = verifier.callbackWithMetadata
            })
        do {
            try await withGRPCClient(transport: transport) { client in
                print(try await Greeter.greet(with: client))
            }
        } catch {
            refusals.continuation.finish()
            // The verifier reports before the handshake fails, so its explanation has arrived.
            let refusal: (any Error)? = await refusals.stream.first { _ in true }
            print(refusal ?? error)
            exit(1)
        }
    }

    /// Prints a line at once, also into a pipe.
    private static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

extension Identity {
    /// The certificates for gRPC, which takes bytes.
    fileprivate var grpcChain: [TLSConfig.CertificateSource] {
        get throws { try chain.map { .bytes(try $0.serializeAsPEM().derBytes, format: .der) } }
    }

    /// The private key for gRPC.
    fileprivate var grpcKey: TLSConfig.PrivateKeySource {
        get throws { .bytes(try privateKey.serializeAsPEM().derBytes, format: .der) }
    }
}

/// The service: one method, whose messages are texts in UTF-8 rather than in Protocol Buffers.
private struct Greeter: RegistrableRPCService {
    private static let method = MethodDescriptor(fullyQualifiedService: "example.Greeter", method: "Greet")

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(
            forMethod: Self.method, deserializer: TextCoder(), serializer: TextCoder()
        ) { _, context in
            let peer = context.transportSpecific as? HTTP2ServerTransport.Posix.Context
            let subject = peer?.peerCertificate?.subject.description
            return StreamingServerResponse { writer in
                try await writer.write("Hello, \(subject ?? "stranger")")
                return [:]
            }
        }
    }

    static func greet(with client: GRPCClient<HTTP2ClientTransport.Posix>) async throws -> String {
        try await client.unary(
            request: ClientRequest(message: ""), descriptor: method, serializer: TextCoder(),
            deserializer: TextCoder(), options: .defaults
        ) { try $0.message }
    }
}

/// The encoding of a text as a message.
private struct TextCoder: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ text: String) throws -> Bytes { Bytes(text.utf8) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
