// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import Foundation
import FuzzDriver
import TrustRecipes
import X509

/// Fuzzes Certificate Transparency; the input has a byte for the form, and a log list in JSON or a timestamp list.
@main
enum TransparencyFuzz {
    /// The form of the bytes after the first.
    enum Form: UInt8, CaseIterable {
        case logs
        /// A timestamp list from the TLS extension.
        case tls
        /// A timestamp list in the certificate.
        case embedded
        /// A timestamp list in an OCSP response.
        case response

        init(_ choice: UInt8) { self = Form(rawValue: choice & 3) ?? .logs }
    }

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in try seeds() }) { bytes, count in
            TransparencyFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let scene = RevocationScene.shared
    private static let logs: [TestLog] = {
        guard let keys = try? [P256.Signing.PrivateKey.fixed(4), .fixed(5)] else {
            fatalError("a key cannot be created")
        }
        return [TestLog("one", by: "A", key: keys[0]), TestLog("two", by: "B", key: keys[1])]
    }()
    /// The time of both logs' timestamps.
    private static let time = Instant.now - 3600

    private static func seeds() throws -> [[UInt8]] {
        let unsigned = try server().certificate
        let forServer = TestLog.list(try logs.map { try $0.timestamp(for: unsigned, at: time) })
        let embedded = TestLog.list(
            try logs.map {
                try $0.timestamp(beforeIssuing: unsigned, issuer: scene.root.certificate, at: time)
            })
        return Form.allCases.map { form in
            let input =
                switch form {
                case .logs: TestLog.json(logs)
                case .tls, .response: forServer
                case .embedded: embedded
                }
            return [form.rawValue] + input
        }
    }

    private static func test(_ input: [UInt8]) {
        guard let choice = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch Form(choice) {
        case .logs: _ = try? TransparencyLogList(json: bytes)
        case .tls, .embedded, .response:
            guard let findings = try? findings(Form(choice), bytes) else { return }
            for finding in findings where finding.status == .valid {
                precondition(finding.time == time, "valid with a wrong time")
                precondition(logs.contains { $0.name == finding.log }, "valid without a known log")
            }
            let valid = findings.filter { $0.status == .valid }
            precondition(Set(valid.map(\.log)).count == valid.count, "one log is counted twice")
        }
    }

    private static func findings(_ form: Form, _ list: [UInt8]) throws -> [TimestampFinding] {
        var evidence = TrustEvidence()
        let certificate =
            try server(form == .embedded ? [TestLog.certificateExtension(list)] : []).certificate
        if form == .tls { evidence.timestamps = try TimestampList(tlsEncoded: list) }
        if form == .response {
            let recipe = ResponseRecipe().with { $0.answerExtensions = [TestLog.responseExtension(list)] }
            let response = try recipe.encoded(for: certificate, issuer: scene.root)
            evidence.revocation.responses = [.init(try OCSPResponse(derEncoded: response))]
        }
        guard let chain = PresentedChain([certificate]) else { return [] }
        let transparency = CertificateTransparency(
            logs: try TransparencyLogList(json: TestLog.json(logs)), rule: .apple)
        let policy = TrustPolicy(anchors: .only([scene.root.certificate]), transparency: transparency)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
            .evaluate(chain, for: try HostName("a.test"), at: Instant.now, with: evidence).timestamps
    }

    /// Creates the same certificate in every run, except for the signature and the extensions.
    private static func server(_ extensions: [Certificate.Extension] = []) throws -> TestAuthority {
        let key = try P256.Signing.PrivateKey.fixed(2)
        return try scene.root.issue(
            Recipe().with {
                $0.key = key
                $0.extra = extensions
            })
    }
}
