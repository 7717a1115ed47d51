// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateAuthorities
import Foundation
import Turns

/// Measures the cost of a validation, compared with its signatures, OpenSSL and swift-certificates.
@main
struct TrustBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust-bench",
        abstract: """
            Measure validations of a chain of three certificates, in turns with OpenSSL and swift-certificates, and revocation lists.
            """
    )

    @Option(help: "The compiled Benchmarks/openssl/verify.c; without it, OpenSSL is omitted.")
    var openssl: String?

    @Option(help: "The compiled Benchmarks/openssl/list.c; without it, OpenSSL's revocation lists are omitted.")
    var opensslLists: String?

    @Option(help: "Measure only the contenders whose names contain this text, and no lists.")
    var only: String?

    @Flag(help: .hidden)
    var listWork = false

    @Option(help: "The number of turns of each contender.")
    var rounds = 11

    @Option(help: "The processor time of a turn, in milliseconds.")
    var turn = 60

    func run() async throws {
        guard !listWork else { return try ListWork.answerRequests() }
        for (name, keyType) in [("P-256", CertificateAuthority.KeyType.p256), ("RSA-2048", .rsa2048)] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "trust-bench-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: folder) }
            let chain = try BenchChain(keyType)
            try chain.write(to: folder)
            let other = try openssl.map { try PeerProcess(openssl: $0) }
            let contenders =
                [try Contender.signatures(of: chain)] + (try Contender.countersign(chain))
                + Contender.swiftCertificates(chain) + (other?.contenders(chainIn: folder) ?? [])
            let measured = contenders.filter { only.map($0.name.contains) ?? true }
            print("\(name): leaf, intermediate, root\(other.map { "; \($0.version)" } ?? "")")
            print(Table.heading)
            try await Turns(rounds: rounds, length: turn).measure(measured).lines.forEach { print($0) }
            try other?.end()
        }
        guard only == nil else { return }
        try await ListTable(rounds: rounds, openssl: opensslLists).measure(sizes: [10_000, 100_000, 1_000_000])
    }
}
