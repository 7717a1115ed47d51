// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import ErrorExplanations
import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite("Certificate Transparency") struct TransparencyTests {
    private static let logs = [TestLog("one", by: "A"), TestLog("two", by: "B")]

    @Test("Embedded timestamps are verified and reported with log, operator and time") func embedded() throws {
        let scene = try TransparencyScene()
        let verdict = try scene.verdict(scene.server(Self.logs), Self.logs)
        #expect(verdict.isTrusted && statuses(verdict) == [.valid, .valid])
        let first = try #require(verdict.timestamps.first)
        #expect(first.log == "one" && first.logOperator == "A" && first.source == .certificate)
        #expect(first.time == Instant.now - 3600 && first.logID == Data(Self.logs[0].id).base64EncodedString())
        #expect(first.explanation == "one (A), 2026-05-31 23:00 UTC, in the certificate: valid")
    }

    @Test("Timestamps from the TLS extension are verified for the certificate itself") func tls() throws {
        let scene = try TransparencyScene()
        let server = try scene.intermediate.issue(scene.recipe).certificate
        let given = try Self.logs.map { try $0.timestamp(for: server, extensions: [1, 2, 3]) }
        let verdict = try scene.verdict(server, Self.logs, tls: given)
        #expect(verdict.isTrusted && verdict.timestamps.map(\.source) == [.tls, .tls])
        #expect(try shortfall(scene.verdict(server, Self.logs)) == .noTimestamps)
    }

    @Test("Timestamps in the certificate's OCSP response are verified and count for Apple's rule") func ocsp()
        throws
    {
        let scene = try TransparencyScene()
        let server = try scene.intermediate.issue(scene.recipe).certificate
        let list = TestLog.list(try Self.logs.map { try $0.timestamp(for: server) })
        let response = try scene.response(for: server, list: list)
        let verdict = try scene.verdict(server, Self.logs, .apple, responses: [response])
        #expect(verdict.isTrusted && verdict.timestamps.map(\.source) == [.ocsp, .ocsp])
        #expect(try shortfall(scene.verdict(server, Self.logs, .chrome, responses: [response])) == .tooFewLogs)
        let other = try scene.response(for: server, list: list) { $0.serialNumber = [9] }
        #expect(try shortfall(scene.verdict(server, Self.logs, .apple, responses: [other])) == .noTimestamps)
    }

    @Test("A log with an RSA key is verified") func rsa() throws {
        let scene = try TransparencyScene()
        let logs = [Self.logs[0], try TestLog(rsa: "three", by: "C")]
        #expect(try statuses(scene.verdict(scene.server(logs), logs)) == [.valid, .valid])
    }

    @Test("Without a transparency policy, no timestamp is checked or reported") func notAsked() throws {
        let chain = try TestChain(leaf: { $0.extra = [TestLog.certificateExtension([1])] })
        #expect(try chain.verdict().isTrusted && chain.verdict().timestamps.isEmpty)
    }

    @Test("Transparency applies only to servers") func clients() throws {
        let scene = try TransparencyScene { $0.purposes = [.clientAuth] }
        let list = try TransparencyLogList(json: TestLog.json(Self.logs))
        let policy = TrustPolicy(
            anchors: .only([scene.root.certificate]), transparency: CertificateTransparency(logs: list))
        let chain = [try scene.intermediate.issue(scene.recipe).certificate, scene.intermediate.certificate]
        let verdict = try TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
            .evaluate(client: #require(PresentedChain(chain)), at: Instant.now)
        #expect(verdict.isTrusted && verdict.timestamps.isEmpty)
    }

    @Test("A server's certificate that is an anchor has no issuer key for a timestamp")
    func anchoredLeaf() throws {
        let scene = try TransparencyScene()
        let server = try scene.server(Self.logs)
        let list = try TransparencyLogList(json: TestLog.json(Self.logs))
        let policy = TrustPolicy(anchors: .only([server]), transparency: CertificateTransparency(logs: list))
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain([server])), for: try HostName("a.test"), at: Instant.now)
        #expect(statuses(verdict) == [.issuerUnknown] && shortfall(verdict) == .tooFewLogs)
    }

    @Test("A timestamp for another certificate or issuer key, or from the wrong source, does not count")
    func otherCertificates() throws {
        let scene = try TransparencyScene()
        let stranger = try TransparencyScene { $0.serialNumber = [7] }
        let log = Self.logs[0]
        let plain = try scene.intermediate.issue(scene.recipe).certificate
        let list = TestLog.list([
            try stranger.embedded(log, issuer: scene.intermediate.certificate),
            try scene.embedded(log, issuer: scene.root.certificate), try log.timestamp(for: plain),
            try scene.embedded(log),
        ])
        let verdict = try scene.verdict(scene.server(list: list), Self.logs, tls: [try scene.embedded(log)])
        #expect(statuses(verdict) == [.badSignature, .badSignature, .badSignature, .valid, .badSignature])
        #expect(shortfall(verdict) == .tooFewLogs)
    }

    @Test("Timestamps of one log count once, even from different sources") func repetitions() throws {
        let scene = try TransparencyScene()
        let log = Self.logs[0]
        let list = TestLog.list([
            try scene.embedded(log), try scene.embedded(log, at: Instant.now - 7200), try scene.embedded(log),
        ])
        let server = try scene.server(list: list)
        let rule = CertificateTransparencyRule.custom(minimumCount: 2, minimumOperators: 1)
        let verdict = try scene.verdict(server, Self.logs, rule, tls: [try log.timestamp(for: server)])
        #expect(statuses(verdict) == [.valid, .repeated, .repeated, .valid] && shortfall(verdict) == .tooFewLogs)
    }

    @Test("The reasons for invalid timestamps are distinguished") func refusals() throws {
        let scene = try TransparencyScene()
        let log = Self.logs[0]
        var newer = try scene.embedded(log)
        newer[0] = 1
        let interval =
            #", "temporal_interval": {"start_inclusive": "2027-01-01T00:00:00Z", "end_exclusive": "2027-07-01T00:00:00Z"}"#
        let shard = TestLog("shard", by: "C").with { $0.more = interval }
        let test = TestLog("test", by: "C").with { $0.more = #", "log_type": "test""# }
        let stamps = [
            try scene.embedded(TestLog("stranger", by: "C")), try scene.embedded(log, at: Instant.now + 0.001),
            try scene.embedded(shard), try scene.embedded(test), newer, [0, 1],
            try scene.embedded(log, at: Instant.now),
        ]
        let verdict = try scene.verdict(scene.server(list: TestLog.list(stamps)), Self.logs + [shard, test])
        #expect(
            statuses(verdict) == [
                .unknownLog, .inFuture, .outsideInterval, .logNotAccepted, .unsupportedVersion, .malformed, .valid,
            ])
    }

    @Test("An algorithm that does not match the log's key is never valid") func algorithms() throws {
        let scene = try TransparencyScene()
        let stamp = try scene.embedded(Self.logs[0])
        var (rsa, sha1) = (stamp, stamp)
        rsa[44] = 1
        sha1[43] = 2
        let verdict = try scene.verdict(scene.server(list: TestLog.list([rsa, sha1])), Self.logs)
        #expect(statuses(verdict) == [.badSignature, .unsupportedAlgorithm])
    }

    @Test("An unreadable list is reported and does not hide the timestamps from other sources") func unreadableLists()
        throws
    {
        let scene = try TransparencyScene()
        let server = try scene.server(list: [0, 9, 1])
        let given = try Self.logs.map { try $0.timestamp(for: server) }
        let response = try scene.response(
            for: server, list: TestLog.list(Array(repeating: [9], count: 17)))
        let verdict = try scene.verdict(server, Self.logs, tls: given, responses: [response])
        #expect(verdict.isTrusted && statuses(verdict) == [.listMalformed, .valid, .valid, .listTooLong])
    }

    @Test("At most 32 signatures are checked for a certificate") func budget() throws {
        let scene = try TransparencyScene()
        let bad = Array(repeating: try scene.embedded(Self.logs[0], issuer: scene.root.certificate), count: 16)
        let server = try scene.server(list: TestLog.list(bad))
        let response = try scene.response(for: server, list: TestLog.list(bad))
        let verdict = try scene.verdict(
            server, Self.logs, tls: bad, responses: Array(repeating: response, count: 6))
        #expect(statuses(verdict).count(where: { $0 == .badSignature }) == 32)
        #expect(statuses(verdict).count == 16 + 16 + 4 * 16)
    }

    @Test(
        "A log list older than 70 days causes a remark and stays in force",
        arguments: [("2026-05-20T12:00:00Z", false), ("2026-03-01T00:00:00Z", true), (nil, false)] as [(String?, Bool)])
    func oldList(time: String?, isRemarked: Bool) throws {
        let scene = try TransparencyScene()
        let trusted = try scene.verdict(scene.server(Self.logs), Self.logs, listTime: time)
        #expect(trusted.isTrusted && trusted.remarks.contains { $0.code == "log-list-outdated" } == isRemarked)
        #expect(try shortfall(scene.verdict(scene.server([Self.logs[0]]), Self.logs, listTime: time)) == .tooFewLogs)
    }

    @Test("A verdict is decoded from JSON with timestamps and a shortfall, and without the key") func json()
        throws
    {
        let scene = try TransparencyScene()
        let verdict = try scene.verdict(scene.server([Self.logs[0]]), Self.logs)
        let data = try JSONEncoder().encode(verdict)
        #expect(try JSONDecoder().decode(Verdict.self, from: data) == verdict && !verdict.isTrusted)
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        object["timestamps"] = nil
        let older = try JSONDecoder().decode(Verdict.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(older.timestamps.isEmpty && older.failures == verdict.failures)
    }

    @Test("The failure states the counted and required logs, and is not recoverable")
    func explanation()
        throws
    {
        let scene = try TransparencyScene(days: 365)
        let verdict = try scene.verdict(scene.server([Self.logs[0]]), Self.logs)
        #expect(!verdict.isRecoverable && verdict.failure?.code == "trust.transparency-insufficient")
        #expect(
            verdict.explanation.hasPrefix(
                """
                a.test is not trusted: its certificate has valid timestamps of 1 log that count, and the rule chrome needs 3.
                """))
    }

    @Test("Policies are equal if they have the same list and rule") func policies() throws {
        let list = try TransparencyLogList(json: TestLog.json(Self.logs))
        let one = TrustPolicy(transparency: CertificateTransparency(logs: list, rule: .chrome))
        let same = TrustPolicy(transparency: CertificateTransparency(logs: list, rule: .chrome))
        let other = TrustPolicy(transparency: CertificateTransparency(logs: list, rule: .apple))
        #expect(one == same && one.hashValue == same.hashValue && one != other && one != TrustPolicy())
    }
}

@Suite("The precertificate") struct LoggedEntryTests {
    @Test("Every byte outside the extension is unchanged") func tbsCertificate() throws {
        for names in [1, 12] {
            let scene = try TransparencyScene {
                $0.names = (0..<names).map { .dnsName("host-\($0).a.test") }
            }
            let server = try scene.server(list: TestLog.list([[0, 1]]))
            let before = try scene.intermediate.issue(scene.recipe).certificate
            #expect(
                LoggedEntry.withoutTimestamps(server.tbsCertificateBytes) == Array(before.tbsCertificateBytes))
        }
    }

    @Test("A certificate without timestamps or with two lists has no precertificate") func others() throws {
        let scene = try TransparencyScene()
        let before = try scene.intermediate.issue(scene.recipe).certificate
        #expect(LoggedEntry.withoutTimestamps(before.tbsCertificateBytes) == nil)
        let one = Encoding.certificateExtension(LoggedEntry.certificateExtension, [4, 0])
        func tbsCertificate(_ extensions: [UInt8]...) -> [UInt8] {
            Encoding.sequence(
                Encoding.integer([1]),
                extensions.isEmpty ? [] : Encoding.tagged(3, Encoding.sequence(extensions.flatMap(\.self))))
        }
        #expect(LoggedEntry.withoutTimestamps(tbsCertificate(one, one)[...]) == nil)
        #expect(LoggedEntry.withoutTimestamps(tbsCertificate(one)[...]) == tbsCertificate())
        #expect(LoggedEntry.withoutTimestamps([0x30, 2, 0xa3, 1]) == nil)
    }
}
