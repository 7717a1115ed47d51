// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Returns the message for a verdict, in which the server is called "The server".
private func message(_ verdict: Verdict) throws -> String {
    try #require(verdict.explanation(of: "The server")).message
}

@Suite struct ExplanationTests {
    @Test("Every error of the target has an explanation with a unique code") func uniqueCodes() {
        #expect(problems(of: TrustFailure.examples) == [])
        #expect(problems(of: RevocationProblem.examples) == [])
        #expect(problems(of: RevocationEncodingError.examples) == [])
        #expect(problems(of: AnchorStoreError.examples) == [])
        #expect(problems(of: PinError.examples) == [])
        #expect(problems(of: TimestampListError.examples) == [])
        #expect(problems(of: TransparencyLogListError.examples) == [])
    }

    @Test("Every case of a failure and of a problem has an example") func counts() {
        #expect(TrustFailure.examples.count == 30)
        #expect(RevocationProblem.examples.count == 38)
    }

    @Test("The explanations of the examples are deterministic") func stable() {
        #expect(TrustFailure.examples.map(\.description) == TrustFailure.examples.map(\.description))
        #expect(
            TrustFailure.examples.first { $0.code == "trust.expired" }?.explanation.message
                == "The certificate of CN=a.example expired on 2026-11-20 (yesterday).")
    }

    @Test(
        "An explanation states the date on which the server's certificate expired, relative to the check",
        arguments: [
            (-1, "expired on 2026-05-31 (yesterday)"), (-3 * 86_400, "expired on 2026-05-29 (3 days ago)"),
            (36_000, "expired on 2026-06-01 (today at 10:00 UTC)"),
        ] as [(Double, String)])
    func expired(end: Double, text: String) throws {
        let noon = end > 0 ? Instant.now + 43_200 : Instant.now
        let verdict = try TestChain(leaf: { ($0.notBefore, $0.notAfter) = (Instant.now - 864_000, Instant.now + end) })
            .verdict(at: noon)
        #expect(try message(verdict) == "The server is not trusted: its certificate \(text).")
        #expect(verdict.explanation.hasPrefix("a.test is not trusted: its certificate \(text)."))
    }

    @Test(
        "An explanation states the date on which the server's certificate becomes valid, relative to the check",
        arguments: [
            (86_400, "valid only from 2026-06-02 (tomorrow)"), (20 * 86_400, "valid only from 2026-06-21 (in 20 days)"),
        ] as [(Double, String)])
    func notYetValid(start: Double, text: String) throws {
        let verdict = try TestChain(leaf: {
            ($0.notBefore, $0.notAfter) = (Instant.now + start, Instant.now + start + 1_000)
        }).verdict()
        #expect(try message(verdict) == "The server is not trusted: its certificate is \(text).")
    }

    @Test("An issuer's certificate is named by its subject") func authorities() throws {
        let end = Instant.now - 1
        #expect(
            try message(TestChain(intermediate: { $0.notAfter = end }).verdict())
                == """
                The server is not trusted: the certificate of its issuer CN=intermediate expired on 2026-05-31 (yesterday).
                """)
        #expect(
            try message(TestChain(root: { $0.notAfter = end }).verdict())
                == "The server is not trusted: the certificate of CN=root expired on 2026-05-31 (yesterday).")
    }

    @Test("Each further failure is stated once, after the headline") func others() throws {
        let verdict = try TestChain(leaf: { $0.notAfter = Instant.now - 1 }).verdict(for: "b.test")
        #expect(
            try message(verdict)
                == """
                The server is not trusted: its certificate expired on 2026-05-31 (yesterday); also: its certificate is for \
                a.test, not for b.test.
                """)
    }

    @Test("A trusted server needs no explanation of a failure") func trusted() throws {
        let verdict = try TestChain().verdict()
        #expect(verdict.explanation(of: "The server") == nil)
        #expect(verdict.explanation == "a.test proved that it is a.test.")
    }

    @Test(
        "The explanation of a trusted client without a name mentions no name",
        arguments: [
            (.full, "The chain is trusted for client authentication, and was not compared with a name."),
            (.firstUse, "The chain is trusted for client authentication, and was not compared with a name."),
            (.dangerouslyDisabled, "The chain was not authenticated: validation is switched off."),
        ] as [(TrustPolicy.Validation, String)])
    func unnamedClient(validation: TrustPolicy.Validation, text: String) throws {
        let chain = try TestChain(leaf: { $0.purposes = [.clientAuth] })
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), validation: validation)
        let verdict = try TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
            .evaluate(client: #require(PresentedChain(chain.presented)), at: Instant.now)
        #expect(verdict.explanation == text)
    }

    @Test(
        "The explanation of a client that is not trusted does not call it a server",
        arguments: ["expired", "purpose", "name", "issuer"])
    func refusedClient(problem: String) throws {
        let chain = try TestChain(leaf: { leaf in
            leaf.purposes = [problem == "purpose" ? .codeSigning : .clientAuth]
            if problem == "expired" { leaf.notAfter = Instant.now - 1 }
        })
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([chain.root.certificate])), systemAnchors: AnchorStore([]))
        let presented = problem == "issuer" ? Array(chain.presented.prefix(1)) : chain.presented
        let verdict = try evaluator.evaluate(
            client: #require(PresentedChain(presented)), named: problem == "name" ? "b.test" : nil, at: Instant.now)
        let decoded = try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict))
        for verdict in [verdict, decoded] {
            let explanation = try #require(verdict.explanation(of: "The client"))
            #expect(explanation.advice.contains("the client's owner"))
            #expect(!"\(explanation)".contains("server"))
        }
    }

    @Test(
        "The explanation of a server that only its key identifies names the failures that the key overrides",
        arguments: [false, true])
    func keyOnly(isKnown: Bool) throws {
        let recipe = Recipe().with { ($0.notAfter, $0.names) = (Instant.now - 1, [.dnsName("other.test")]) }
        let certificate = try TestAuthority(root: recipe).certificate
        let key = Pin(of: certificate)
        let evidence = TrustEvidence(remembered: isKnown ? RememberedServer(key: key, since: Instant.now) : nil)
        let policy = TrustPolicy(anchors: .only([]), validation: .firstUse)
        let verdict = try TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            #require(PresentedChain([certificate])), for: HostName("a.test"), at: Instant.now, with: evidence)
        #expect(verdict.isTrustedByKey && verdict.failures.isEmpty)
        #expect(
            verdict.overriddenFailures.map(\.code) == ["trust.self-signed", "trust.expired", "trust.host-mismatch"])
        let text = verdict.explanation
        #expect(
            text.hasPrefix(
                "a.test is identified only by its key: its certificate is signed with its own key, and is not among the "
                    + "anchors; also: its certificate expired on "))
        #expect(text.contains("; its certificate is for other.test, not for a.test. Its key "))
        #expect(text.hasSuffix(isKnown ? "." : " \(key) is seen for the first time."))
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
    }

    @Test(
        "An explanation suspects the clock if all certificates of a path are invalid in one direction",
        arguments: [(1_000_000, "has expired"), (-1_000_000, "is not yet valid")] as [(Double, String)])
    func clock(offset: Double, state: String) throws {
        let explanation = try #require(
            TestChain(root: { ($0.notBefore, $0.notAfter) = (Instant.now - 2_000_000, Instant.now + 2_000_000) })
                .verdict(at: Instant.now + offset).explanation(of: "The server"))
        #expect(explanation.message.hasPrefix("The server is not trusted: its certificate "))
        #expect(
            explanation.reason.hasPrefix("Every certificate of its path \(state) at 2026-")
                && explanation.reason.hasSuffix("so this device's clock is probably wrong."))
        #expect(explanation.advice == "Set the clock of this device, then try again.")
    }

    @Test("An explanation does not suspect the clock because of a single certificate") func rightClock() throws {
        let chain = try TestChain(leaf: { $0.notAfter = Instant.now - 1 })
        let own = try TestAuthority(root: Recipe().with { $0.notAfter = Instant.now - 1 }).certificate
        for verdict in [try chain.verdict(), try evaluate([own], anchors: [own])] {
            #expect(try #require(verdict.explanation(of: "The server")).reason.contains("wrong") == false)
        }
    }

    @Test(
        "An explanation suspects interception if a public name has no anchor",
        arguments: [
            ("www.swift.org", true), ("localhost", false), ("a.test", false), ("printer.local", false),
            ("nas.home.arpa", false), ("git.corp.internal", false), ("www.example", false), ("192.168.1.1", false),
            ("2001:db8::1", false), ("intranet", false),
        ])
    func interception(host: String, isPublic: Bool) throws {
        let chain = try TestChain()
        let rest = [chain.leaf.certificate, chain.intermediate.certificate]
        for presented in [[chain.leaf.certificate], rest, rest + [chain.root.certificate]] {
            let verdict = try evaluate(presented, anchors: [], for: host)
            let explanation = try #require(verdict.explanation(of: host))
            #expect(explanation.reason.contains("\(host) is a public name: a captive portal") == isPublic)
        }
        let known = try evaluate(rest, anchors: [chain.root.certificate], for: host)
        #expect(known.explanation(of: host)?.reason.contains("captive portal") != true)
    }

    @Test("The end of an incomplete path is explained") func incompletePaths() throws {
        let chain = try TestChain()
        let own = try TestAuthority(root: Recipe()).certificate
        #expect(
            try message(evaluate([own], anchors: []))
                == "The server is not trusted: its certificate is signed with its own key, and is not among the anchors."
        )
        #expect(
            try message(evaluate(chain.presented + [chain.root.certificate], anchors: []))
                == """
                The server is not trusted: its certificate was issued under the root CN=root, which is not among the anchors.
                """)
        #expect(
            try message(evaluate([chain.leaf.certificate], anchors: [chain.root.certificate]))
                == """
                The server is not trusted: its certificate was issued by CN=intermediate, whose certificate the server did not \
                send and which is not among the anchors.
                """)
    }

    @Test("A violation states the name, the certificate and the constraint, or the purposes") func violations()
        throws
    {
        let constraints = NameConstraints(permittedSubtrees: [.dnsName("b.test")])
        #expect(
            try message(TestChain(intermediate: { $0.nameConstraints = constraints }).verdict())
                == """
                The server is not trusted: its certificate has the name a.test, which CN=intermediate must not issue for \
                (permitted: b.test).
                """)
        #expect(
            try message(TestChain(leaf: { $0.purposes = [.clientAuth] }).verdict())
                == """
                The server is not trusted: its certificate is for client authentication (clientAuth), but has to be for server \
                authentication (serverAuth).
                """)
        #expect(
            try message(TestChain(intermediate: { $0.purposes = [.clientAuth, .codeSigning] }).verdict())
                == """
                The server is not trusted: the certificate of its issuer CN=intermediate is for client authentication \
                (clientAuth), code signing (codeSigning), but has to be for server authentication (serverAuth).
                """)
    }

    @Test("A small key is reported with its size and the minimum size") func weakKey() throws {
        let leaf = CertificateSummary(try TestChain().leaf.certificate)
        #expect(
            TrustFailure.weakKey(leaf, bits: 1024).explanation.message
                == "The certificate of CN=server has an RSA key of 1024 bits, and the smallest size accepted is 2048 bits."
        )
    }

    @Test(
        "Each rule is explained as a violation, with the section of its standard", arguments: TrustFailure.Rule.allCases
    )
    func rules(rule: TrustFailure.Rule) throws {
        let leaf = CertificateSummary(try TestChain().leaf.certificate)
        let message = TrustFailure.nonconforming(leaf, rule).explanation.message
        #expect(message.contains("he certificate of CN=server "))
        #expect(message.contains(/\((?:RFC [0-9]+|Baseline Requirements) section \d+(?:\.\d+)+/), "\(message)")
    }

    @Test(
        "A violation states that a serial number is zero or too long",
        arguments: [([0], "zero"), ([UInt8](repeating: 1, count: 21), "longer than 20 octets")] as [([UInt8], String)])
    func serialNumber(bytes: [UInt8], fault: String) throws {
        let leaf = try TestChain(leaf: { $0.serialNumber = bytes }).leaf.certificate
        #expect(
            TrustFailure.nonconforming(CertificateSummary(leaf), .serialNumber).explanation.message
                == """
                The serial number of the certificate of CN=server is \(fault) (RFC 5280 section 4.1.2.2 asks for a positive one \
                of at most 20 octets).
                """)
    }

    @Test("A tolerated violation is explained, too") func leniency() throws {
        let verdict = try TestChain(leaf: { $0.purposes = nil }).verdict()
        let leniency = try #require(verdict.leniencies.first { $0.rule == .serverPurposes })
        #expect(
            leniency.explanation
                == """
                The certificate of CN=server has no extended key usage (Baseline Requirements section 7.1.2.7.10).
                """)
    }

    @Test("A revocation states its time and reason, and an unknown status states its cause") func revocation() throws {
        let leaf = CertificateSummary(try TestChain().leaf.certificate)
        let revoked = TrustFailure.revoked(leaf, at: Instant.now, reason: .keyCompromise).explanation
        #expect(revoked.message == "The certificate of CN=server was revoked on 2026-06-01 00:00 UTC (key compromise).")
        #expect(revoked.reason == "The private key is known or suspected to be compromised.")
        #expect(
            TrustFailure.revocationUnknown(leaf, .outdated).explanation.message
                == """
                It is not known whether the certificate of CN=server is revoked: the revocation information is out of date.
                """)
    }

    @Test("A changed key and a pin mismatch state both keys") func keys() throws {
        let chain = try TestChain()
        let (old, new) = (Pin(of: chain.root.certificate), Pin(of: chain.leaf.certificate))
        #expect(
            TrustFailure.changed(RememberedServer(key: old, since: Instant.now), presented: new).explanation.message
                == "The server's key has changed from \(old), first seen on 2026-06-01 00:00 UTC, to \(new).")
        #expect(
            try message(
                evaluate(
                    chain.presented, anchors: [chain.root.certificate],
                    pins: [Pin(of: TestAuthority(root: Recipe()).certificate)])
            )
            .hasPrefix("The server is not trusted: its chain satisfies none of the pins sha256/"))
    }
}
