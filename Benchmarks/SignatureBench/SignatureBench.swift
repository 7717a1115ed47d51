// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateAuthorities
import Foundation
import Identities
import SwiftASN1
import Turns
import X509
import XMLSignature

/// Measures the cost of signing and verifying a message, compared with xmlsec and signxml.
@main
struct SignatureBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signature-bench",
        abstract: "Measure signatures of messages with RSA-2048, SHA-256 and exclusive canonicalization, in turns."
    )

    @Option(help: "The compiled Benchmarks/xmlsec/signature.c; without it, xmlsec is omitted.")
    var xmlsec: String?

    @Option(help: "A Python with signxml; without it, signxml is omitted.")
    var python: String?

    @Option(help: "Benchmarks/xmlsec/signxml-bench.py.")
    var signxml = "Benchmarks/xmlsec/signxml-bench.py"

    @Option(help: "The number of turns of each contender.")
    var rounds = 7

    @Option(help: "The processor time of a turn, in milliseconds.")
    var turn = 200

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signature-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try CertificateAuthority.selfSigned(
            .server(names: ["a.test"], keyType: .rsa2048), now: Date())
        let (key, certificate) = (folder.appending(path: "key.pem"), folder.appending(path: "certificate.pem"))
        try Data(try identity.privateKey.serializeAsPEM().pemString.utf8).write(to: key)
        try Data(try identity.certificate.serializeAsPEM().pemString.utf8).write(to: certificate)
        let signer = SignatureSigner(key: try PrivateSigningKey(identity.privateKey))
        let verifier = SignatureVerifier(trusting: .key(identity.certificate.publicKey))
        var peers = try xmlsec.map { [try PeerProcess($0, [key.path])] } ?? []
        if let python { peers.append(try PeerProcess(python, [signxml, key.path, certificate.path])) }

        print("the signature alone, by each library")
        print(Table.heading)
        let bytes = [UInt8](repeating: 1, count: 1_000)
        let alone = Contender("countersign") { _ = try await signer.key.signature(of: bytes) }
        try await Turns(rounds: rounds, length: turn).measure([alone]).lines.forEach { print($0) }

        for (name, bytes, trial) in [("1 KiB", 1 << 10, 50), ("100 KiB", 100 << 10, 10), ("10 MiB", 10 << 20, 1)] {
            let document = try await BenchDocument(name, bytes: bytes, signer: signer)
            let prefix = try document.write(to: folder)
            let turns = Turns(rounds: rounds, length: turn, trial: trial)
            for mode in ["sign", "verify"] {
                let own = Contender("countersign") {
                    if mode == "sign" {
                        _ = try await BenchDocument.sign(document.document, signer)
                    } else {
                        _ = try verifier.verify(document.signed)
                    }
                }
                print("\(mode) a body of \(name)")
                print(Table.heading)
                try await turns.measure([own] + peers.map { $0.contender(mode: mode, prefix: prefix) }).lines.forEach {
                    print($0)
                }
            }
        }
        for peer in peers { try peer.end() }
    }
}
