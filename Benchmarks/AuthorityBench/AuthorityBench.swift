// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityStore
import CertificateAuthorities
import CertificateTrust
import Foundation
import Identities
import X509

/// Measures how fast one process issues and records certificates, and signs responses.
@main
struct AuthorityBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority-bench", abstract: "Issue certificates, record each, and sign OCSP responses.")

    @Option(help: "The number of certificates.")
    var count = 10_000

    func run() async throws {
        let now = Date()
        let folder = FileManager.default.temporaryDirectory.appending(path: "authority-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let root = try CertificateAuthority(name: "Bench Root", now: now)
        let authority = try root.issueIntermediate(name: "Bench Issuing", now: now)
        let settings = try AuthoritySettings(
            name: "Bench", chain: authority.identity.chain, issuingKey: .file("none"), rootKey: .file("none"),
            publication: PublicationPoints(), leafDays: 47)
        let store = try await AuthorityStore.create(
            at: folder.appending(path: "state.sqlite").path, settings: settings, now: now)
        let clock = ContinuousClock()

        var certificates: [Certificate] = []
        let made = try clock.measure {
            for number in 0..<count {
                certificates.append(
                    try authority.issue(.server(names: ["n\(number).bench.example"]), now: now).certificate)
            }
        }
        print("made, with a key each      ", rate(count, made), "certificates/s")
        let recorded = try await clock.measure {
            for (number, certificate) in certificates.enumerated() {
                try await store.record(certificate, name: "n\(number).bench.example", purpose: .server, now: now)
            }
        }
        print("recorded, each on the disk ", rate(count, recorded), "certificates/s")
        print("made and recorded          ", rate(count, made + recorded), "certificates/s")
        print("serial numbers twice       ", count - Set(certificates.map(\.serialNumber)).count)
        let audited = try await clock.measure {
            let audit = try await store.audit(issuer: authority.certificate)
            print("log                        ", audit.entries, "entries,", audit.problems.count, "flaws")
        }
        print("audited in                 ", audited)

        let responder = try authority.issueResponder(now: now)
        let requests = try certificates.prefix(2_000).map {
            try OCSPRequest(for: $0, issuer: authority.certificate).derEncoded
        }
        let answered = try await clock.measure {
            for request in requests {
                _ = try await responder.respond(to: request, now: now) { serialNumber in
                    let issued = try await store.certificate(Array(serialNumber.bytes))
                    return issued == nil ? .unknown : .good
                }
            }
        }
        print("OCSP, looked up and signed ", rate(requests.count, answered), "responses/s on one core")
    }

    private func rate(_ count: Int, _ duration: Duration) -> Int { Int(Double(count) / (duration / .seconds(1))) }
}
