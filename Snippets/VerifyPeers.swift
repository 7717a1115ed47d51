// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "The evaluator in your server and other clients".

import CertificateTrust
import CertificateTrustNIOSSL
import Countersign
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

func connect(trusting anchors: TrustPolicy.Anchors) async throws -> any Channel {
    let verifier = try TrustPolicy(anchors: anchors).verifying("db.example")
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .noHostnameVerification
    configuration.trustRoots = .certificates([])
    let context = try NIOSSLContext(configuration: configuration)

    return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let verifier = verifier.reporting { outcome in
                    if case .failure(let error) = outcome { channel.pipeline.fireErrorCaught(error) }
                }
                let handler = try NIOSSLClientHandler(
                    context: context, serverHostname: verifier.serverName,
                    customVerificationCallback: verifier.callback)
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        .connect(host: "db.example", port: 5433).get()
}

func serve(_ identity: Identity, trusting anchors: TrustPolicy.Anchors) throws -> NIOSSLServerHandler {
    let verifier = try TrustPolicy(anchors: anchors).verifyingClients(named: ["orders.example", "mary@example.org"])
    let server = try identity.nioSSL()
    var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: server.certificateChain, privateKey: server.privateKey)
    configuration.certificateVerification = .noHostnameVerification
    configuration.trustRoots = .certificates([])
    let context = try NIOSSLContext(configuration: configuration)
    return NIOSSLServerHandler(
        context: context, customVerificationCallbackWithMetadata: verifier.callbackWithMetadata)
}

func check(_ anchors: TrustPolicy.Anchors) async throws {
    let fetcher = EvidenceFetcher()
    let policy = TrustPolicy(anchors: anchors, revocation: .hardFail, localEvidence: .allowed)
    let verifier = try policy.verifyingClients(evidence: fetcher)
    _ = verifier
    await fetcher.close()
}

func rootsOnly(_ identity: Identity, root: URL) throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(root.path()))
    (configuration.certificateChain, configuration.privateKey) = try identity.nioSSL()
    return configuration
}

func evaluate(_ chain: PresentedChain) throws -> Verdict {
    let evaluator = TrustEvaluator(policy: TrustPolicy(), systemAnchors: try .system())
    return evaluator.evaluate(chain, for: try HostName("www.example"), at: Date())
}
