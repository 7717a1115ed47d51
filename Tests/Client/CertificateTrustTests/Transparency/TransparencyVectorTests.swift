// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import X509

@testable import CertificateTrust

/// Certificates with timestamps of real logs, or of logs that another program simulates.
///
/// The environment variable `TRANSPARENCY` is the path of their folder. Its `cases.json` is a list of ``Case`` and the
/// log lists are in the same folder.
@Suite struct TransparencyVectorTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        /// The certificate as DER.
        let certificate: Data
        let issuer: Data
        /// The name of the log list's file in the folder.
        let logs: String
        let time: String
        let tls: Data?
        let ocsp: Data?
        /// The expected status of each timestamp.
        let statuses: [TimestampFinding.Status]

        var testDescription: String { name }
    }

    private static let folder = ProcessInfo.processInfo.environment["TRANSPARENCY"].map { URL(filePath: $0) }

    private static let cases: [Case] = {
        guard let folder, let data = try? Data(contentsOf: folder.appending(path: "cases.json")) else { return [] }
        return (try? JSONDecoder().decode([Case].self, from: data)) ?? []
    }()

    @Test(
        "Timestamps of other programs have the expected status",
        .enabled(if: folder != nil, "TRANSPARENCY names no folder"))
    func vectors() throws {
        let folder = try #require(Self.folder)
        #expect(!Self.cases.isEmpty)
        for one in Self.cases {
            let path = try [one.certificate, one.issuer].map {
                ParsedCertificate(try Certificate(derEncoded: Array($0)))
            }
            var evidence = TrustEvidence()
            evidence.timestamps = try one.tls.map { try TimestampList(tlsEncoded: Array($0)) }
            if let response = one.ocsp {
                evidence.revocation.responses = [
                    RevocationEvidence.Response(try OCSPResponse(derEncoded: Array(response)))
                ]
            }
            let logs = try TransparencyLogList(json: Data(contentsOf: folder.appending(path: one.logs)))
            let time = try #require(InternetTime(one.time))
            let check = try #require(
                TransparencyCheck(
                    CertificateTransparency(logs: logs), path, evidence, at: time.date))
            #expect(check.findings.map(\.status) == one.statuses, "\(one.name)")
        }
    }
}
