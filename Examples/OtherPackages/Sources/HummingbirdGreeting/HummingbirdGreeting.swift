// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CertificateTrustNIOSSL
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Identities
import NIOCore
import NIOSSL
import X509

/// A Hummingbird server that admits only clients with certain certificates, and greets each by its subject.
///
/// Usage: HummingbirdGreeting ROOT.pem SERVER.pem PORT NAME...
@main struct HummingbirdGreeting {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4, let port = Int(arguments[3]) else {
            print("Usage: HummingbirdGreeting ROOT.pem SERVER.pem PORT NAME...")
            exit(2)
        }
        let anchors = try CertificateFile.certificates(in: Data(contentsOf: URL(filePath: arguments[1])))
        let identity = try Identity.read(Array(Data(contentsOf: URL(filePath: arguments[2]))))
        let policy = TrustPolicy(anchors: .only(anchors))
        let server = try tlsServer(identity, policy: policy, names: Array(arguments[4...]))
        let router = Router(context: ClientContext.self)
        router.get("/") { _, context in
            let certificate = try await context.channel.nioSSL_peerCertificate().get()
            let subject = try certificate.map { try Certificate(derEncoded: $0.toDERBytes()).subject.description }
            return "Hello, \(subject ?? "stranger")\n"
        }
        let application = Application(
            router: router, server: server, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in write("The server is running.") })
        try await application.runService()
    }

    private static func tlsServer(
        _ identity: Identity, policy: TrustPolicy, names: [String]
    ) throws -> HTTPServerBuilder {
        let verifier = try policy.verifyingClients(named: names) { outcome in
            if case .failure(let error) = outcome { write("\(error)") }
        }
        let server = try identity.nioSSL()
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: server.certificateChain, privateKey: server.privateKey)
        // A certificate is required; the verifier decides on it, without the roots of NIOSSL.
        tls.certificateVerification = .noHostnameVerification
        tls.trustRoots = .certificates([])
        return try .tls(
            configuration: TLSChannelConfiguration(
                tlsConfiguration: tls, customVerificationCallback: verifier.callback))
    }

    /// Prints a line at once, also into a pipe.
    private static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// The context of a request, with the channel of its connection.
struct ClientContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
