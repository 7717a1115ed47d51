// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct PinSetTests {
    private let (chain, stranger): (TestChain, TestChain)

    init() throws {
        (chain, stranger) = (try TestChain(), try TestChain())
    }

    private func verdict(_ pins: PinSet, validation: TrustPolicy.Validation = .full) throws -> Verdict {
        try evaluate(chain.presented, anchors: [chain.root.certificate], pins: pins, validation: validation)
    }

    @Test("Each kind of pin matches its position in the path") func kinds() throws {
        let path = chain.presented + [chain.root.certificate]
        for kind in Pin.Kind.allCases {
            for (index, certificate) in path.enumerated() {
                let isGood =
                    switch kind {
                    case .publicKey: true
                    case .certificate: index == 0
                    case .authority: index > 0
                    @unknown default: false
                    }
                let pin = Pin(kind, of: certificate)
                #expect(try verdict([pin]).isTrusted == isGood, "\(kind) \(index)")
                #expect(try Pin(pin.description) == pin)
            }
        }
    }

    @Test("A pin can be read from a hexadecimal fingerprint") func hexadecimal() throws {
        let summary = CertificateSummary(chain.leaf.certificate)
        let pin = Pin(.certificate, of: chain.leaf.certificate)
        #expect(try Pin("certificate-sha256/" + summary.fingerprint) == pin)
        #expect(try Pin("certificate-sha256/" + summary.fingerprint.filter { $0 != ":" }.lowercased()) == pin)
        #expect(throws: PinError.self) { try Pin("certificate-sha256/" + summary.fingerprint.dropLast(1)) }
    }

    @Test("A backup pin is accepted with a remark") func backup() throws {
        let backup = Pin(of: chain.root.certificate)
        let verdict = try verdict(PinSet([Pin(of: stranger.root.certificate)], backups: [backup]))
        #expect(verdict.isTrusted && verdict.remarks == [.backupPinInUse(backup)])
    }

    @Test("Pins are not enforced after their expiry") func expiry() throws {
        let pins: Set = [Pin(of: stranger.root.certificate)]
        let late = try verdict(PinSet(pins, expiry: Instant.now))
        #expect(late.isTrusted && late.remarks == [.pinsExpired(on: Instant.now)])
        #expect(try codes(verdict(PinSet(pins, expiry: Instant.now + 1))) == ["trust.pin-mismatch"])
    }

    @Test("Report-only pins do not change the verdict") func reportOnly() throws {
        let pins = PinSet([Pin(of: stranger.root.certificate)], enforcement: .reportOnly)
        let verdict = try verdict(pins)
        guard case .pinMismatchReported(_, let presented) = verdict.remarks.first else {
            Issue.record("no remark")
            return
        }
        #expect(verdict.isTrusted && presented.first == Pin(of: chain.leaf.certificate))
        #expect(!pins.isEnforced(at: Instant.now))
    }
}

struct FirstUseTests {
    private let leaf: TestAuthority

    init() throws {
        leaf = try TestAuthority(root: Recipe())
    }

    private func verdict(
        _ remembered: RememberedServer?, pins: PinSet = [], chain: [Certificate]? = nil, at time: Date = Instant.now
    ) throws -> Verdict {
        let policy = TrustPolicy(anchors: .only([]), pins: pins, validation: .firstUse)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain ?? [leaf.certificate])), for: try HostName("a.test"), at: time,
            with: TrustEvidence(remembered: remembered))
    }

    private func server(_ certificate: Certificate) -> RememberedServer {
        RememberedServer(key: Pin(of: certificate), since: Instant.now)
    }

    @Test("The first key is accepted, remembered and required later") func firstKey() throws {
        let first = try verdict(nil)
        #expect(first.isTrusted && first.path == nil && first.remarks == [.firstUse(server(leaf.certificate))])
        let again = try verdict(server(leaf.certificate), at: Instant.now + 10)
        #expect(again.isTrusted && again.remarks == [.knownSince(server(leaf.certificate))])
        #expect(again.explanation.contains("first seen on 2026-06-01"))
    }

    @Test("A changed key is not recoverable, and the explanation states since when the old key was known")
    func changedKey() throws {
        let other = try TestAuthority(root: Recipe())
        let verdict = try verdict(server(other.certificate))
        #expect(codes(verdict) == ["trust.changed", "trust.self-signed"] && !verdict.isRecoverable)
        #expect(verdict.explanation.contains("first seen on 2026-06-01"))
    }

    @Test("A failure that is not recoverable is not accepted on first use") func fatalFailures() throws {
        let client = try TestAuthority(root: Recipe().with { $0.purposes = [.clientAuth] }).certificate
        #expect(try codes(verdict(nil, chain: [client])).contains("trust.extended-key-usage"))
        let pin = Pin(of: try TestAuthority(root: Recipe()).certificate)
        #expect(try codes(verdict(nil, pins: [pin])).first == "trust.pin-mismatch")
        #expect(try verdict(nil, pins: [Pin(of: leaf.certificate)]).isTrusted)
    }

    @Test("On first use, a path with an expired leaf is not reported as proven") func expiredLeaf() throws {
        let chain = try TestChain(leaf: { $0.notAfter = Instant.now - 1 })
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), validation: .firstUse)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now)
        #expect(verdict.isTrusted && verdict.isTrustedByKey)
        #expect(verdict.path == nil && verdict.anchor == nil && verdict.profile == nil)
        #expect(!verdict.explanation.contains("proved"))
    }

    @Test("A server whose chain ends at an anchor needs no remembered key") func anchored() throws {
        let chain = try TestChain()
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), validation: .firstUse)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(remembered: server(leaf.certificate)))
        #expect(verdict.isTrusted && verdict.path != nil && verdict.remarks.isEmpty)
    }

    @Test("A key that was seen with an anchor is required if the anchor is missing") func seenFirst() throws {
        let chain = try TestChain()
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), validation: .firstUse)
        let evaluator = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
        let first = evaluator.evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now)
        guard case .seenFirst(let seen) = first.remarks.first else {
            Issue.record("not remembered")
            return
        }
        #expect(first.path != nil && seen == server(chain.leaf.certificate))
        #expect(try codes(verdict(seen)).first == "trust.changed")
    }

    @Test("On first use, a path for another host name is not reported as proven") func otherName() throws {
        let chain = try TestChain()
        let policy = TrustPolicy(
            anchors: .only([chain.root.certificate]), pins: [Pin(of: chain.root.certificate)], validation: .firstUse)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("bank.test"), at: Instant.now)
        #expect(verdict.isTrusted && verdict.path == nil && !verdict.explanation.contains("proved"))
    }
}

struct LeniencyTests {
    @Test("Rules that the private profile does not enforce are listed as leniencies") func leniencies() throws {
        let chain = try TestChain(leaf: { ($0.commonName, $0.purposes) = ("not a name", nil) })
        let verdict = try chain.verdict()
        #expect(verdict.isTrusted && verdict.profile == .privatePKI)
        #expect(verdict.anchor == CertificateSummary(chain.root.certificate))
        let rules = verdict.leniencies.filter { $0.certificate == verdict.path?.first }.map(\.rule)
        #expect(Set(rules).isSuperset(of: [.serverPurposes, .authorityKeyIdentifier]))
    }

    @Test("The web profile has no leniencies") func webProfile() throws {
        let chain = try TestChain(leaf: { $0.purposes = nil })
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), profile: .webPKI)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now)
        #expect(codes(verdict) == ["trust.nonconforming"] && verdict.leniencies.isEmpty && verdict.profile == nil)
    }
}
