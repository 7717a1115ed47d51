// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import SwiftASN1
import Testing
import TrustRecipes
import X509
@testable import CommandSupport
@testable import CountersignCommand
import EssentialFoundation
import POSIX

@Suite struct EvaluateTests {
    @Test(
        "A chain from files is evaluated like that of a connection",
        arguments: [
            (
                arguments: [], host: "a.test", time: "2026-06-01", status: CommandStatus.done,
                words: "a.test proved that it is"
            ),
            (arguments: [], host: "a.test", time: "2026-06-01T23:59:59Z", status: .done, words: "0 days left"),
            (arguments: [], host: "a.test", time: "2026-06-03", status: .notTrusted, words: "ended 1 day ago"),
            (arguments: [], host: "a.test", time: "2026-05-30", status: .notTrusted, words: "not yet valid"),
            (
                arguments: [], host: "b.test", time: "2026-06-01", status: .notTrusted,
                words: "its certificate is for a.test, not for b.test."
            ),
            (
                arguments: ["--profile", "web-pki"], host: "a.test", time: "2026-06-01", status: .notTrusted,
                words: "trust.nonconforming"
            ),
            (
                arguments: ["--profile", "private-pki"], host: "a.test", time: "2026-06-01", status: .done,
                words: "Tolerated"
            ),
            (
                arguments: ["--revocation", "hard-fail"], host: "a.test", time: "2026-06-01", status: .notTrusted,
                words: "--crl"
            ),
            (
                arguments: ["--pin", "sha256/" + String(repeating: "A", count: 43) + "="], host: "a.test",
                time: "2026-06-01", status: .notTrusted, words: "trust.pin-mismatch"
            ),
        ])
    func verdicts(
        arguments: [String], host: String, time: String, status: CommandStatus, words: String
    ) async throws {
        let run = try await ChainFiles().evaluate(arguments, host: host, at: time)
        #expect(run.status == status, "\(run.text)\(run.errors)")
        #expect(run.text.contains(words), "\(run.text)")
    }

    private static let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

    @Test("Parts of a chain file that cannot be read are listed in the text and as JSON")
    func unreadIssuer() async throws {
        let files = try ChainFiles()
        let chain = String(decoding: try InputFile.read(files.chain), as: UTF8.self)
        let parts = chain.components(separatedBy: "-----BEGIN")
        let mixed = [parts[0], parts[1], String(Self.broken.dropFirst(10)), parts[2]].joined(separator: "-----BEGIN")
        _ = try files.folder.write(mixed, to: "chain.pem")
        let run = try await files.evaluate()
        #expect(run.status == .done, "\(run.text)\(run.errors)")
        #expect(run.text.contains("Not read: certificate 2 of 3 (line "), "\(run.text)")
        let json = try await files.evaluate(["--json"])
        #expect(json.text.contains("\"code\" : \"certificate.not-a-certificate\""), "\(json.text)")
    }

    @Test("A leaf that cannot be read has a verdict with the fields that can be") func unreadLeaf() async throws {
        let files = try ChainFiles()
        // The certificate without its last bytes; its subject precedes them.
        let der = files.leaf.certificate.derBytes.dropLast(70)
        let leaf = PEMDocument(type: "CERTIFICATE", derBytes: Array(der)).pemString + "\n"
        let chain = String(decoding: try InputFile.read(files.chain), as: UTF8.self)
        _ = try files.folder.write(leaf + chain, to: "chain.pem")
        let run = try await files.evaluate()
        #expect(run.status == .notTrusted, "\(run.text)\(run.errors)")
        #expect(run.text.contains("its certificate cannot be read: it is not a certificate"), "\(run.text)")
        #expect(run.text.contains("CN=server") && run.text.contains("not read"), "\(run.text)")
        #expect(run.text.contains("trust.unreadable"), "\(run.text)")
    }

    @Test("A folder of anchors is read, and the files that cannot be are named") func anchorFolder() async throws {
        let files = try ChainFiles()
        let folder = try Folder()
        _ = try folder.write(String(decoding: try InputFile.read(files.anchors), as: UTF8.self), to: "a.pem")
        _ = try folder.write("none", to: "b.txt")
        _ = try folder.write(Self.broken, to: "c.pem")
        let run = try await CommandRun(
            [
                "trust", "evaluate", "--host", "a.test", "--chain", files.chain, "--anchor", folder.file(""), "--at",
                "2026-06-01",
            ], home: files.folder)
        #expect(run.status == .done, "\(run.text)\(run.errors)")
        #expect(run.errors.contains("b.txt") && run.errors.contains("c.pem"), "\(run.errors)")
    }

    @Test(
        "A CRL from a file is used in the evaluation",
        arguments: [
            (serialNumber: [0x40, 1, 2, 3] as [UInt8], status: CommandStatus.notTrusted, words: "trust.revoked"),
            (serialNumber: [0x41], status: .done, words: "is not revoked"),
        ])
    func revocation(serialNumber: [UInt8], status: CommandStatus, words: String) async throws {
        let files = try ChainFiles()
        let list = ListRecipe().with { $0.entries = [.init(serialNumber)] }
        let path = try files.folder.write(bytes: list.encoded(by: files.intermediate), to: "list.crl")
        let run = try await files.evaluate(["--revocation", "soft-fail", "--crl", path])
        #expect(run.status == status, "\(run.text)\(run.errors)")
        #expect(run.text.contains(words), "\(run.text)")
    }

    private static func revoking(_ files: ChainFiles, _ change: (inout ListRecipe) -> Void = { _ in }) throws -> [UInt8]
    {
        try ListRecipe().with {
            $0.entries = [.init(Array(files.leaf.certificate.serialNumber.bytes))]
            change(&$0)
        }.encoded(by: files.intermediate)
    }

    @Test(
        "A list with a problem that names the certificate revokes it in every mode",
        arguments: [[], ["--revocation", "soft-fail"], ["--revocation", "hard-fail"]])
    func faultyList(arguments: [String]) async throws {
        let files = try ChainFiles()
        let faults: [(words: String, change: (inout ListRecipe) -> Void)] = [
            ("The number of the revocation list is missing", { $0.number = nil }),
            ("The revocation list does not state the time of its next update", { $0.nextUpdate = nil }),
            ("The revocation information is out of date", { $0.nextUpdate = Encoding.utcTime(Instant.now - 60) }),
        ]
        for fault in faults {
            let path = try files.folder.write(bytes: Self.revoking(files, fault.change), to: "list.crl")
            let run = try await files.evaluate(arguments + ["--crl", path])
            #expect(run.status == .notTrusted)
            #expect(run.text.contains("FAILED      revocation: trust.revoked"), "\(run.text)")
            #expect(run.text.contains("list.crl can only show that a certificate is revoked. \(fault.words)"))
            for words in ["unknown-root", "elsewhere", "not reached time", "not reached path", "not reached form"] {
                #expect(!run.text.contains(words), "\(run.text)")
            }
            #expect(run.text.contains("ok          what the authorities may issue") && run.errors.isEmpty)
        }
    }

    @Test("A list with a problem that does not name the certificate is ignored and reported")
    func faultyListWithoutEntry() async throws {
        let files = try ChainFiles()
        let list = try ListRecipe().with { $0.number = nil }.encoded(by: files.intermediate)
        let path = try files.folder.write(bytes: list, to: "list.crl")
        for (arguments, status) in [
            ([], CommandStatus.done), (["--revocation", "soft-fail"], .done),
            (["--revocation", "hard-fail"], .notTrusted),
        ] {
            let run = try await files.evaluate(arguments + ["--crl", path])
            #expect(run.status == status)
            #expect(run.text.contains("list.crl can only show that a certificate is revoked."), "\(run.text)")
            #expect(run.text.contains("It is not known whether CN=server is revoked.") || status == .notTrusted)
        }
    }

    @Test(
        "A file that no path could use is an error with the reason",
        arguments: [[], ["--revocation", "soft-fail"], ["--revocation", "hard-fail"], ["--json"]])
    func unusableCertificateFiles(arguments: [String]) async throws {
        let files = try ChainFiles()
        let other = try TestAuthority(root: .authority("Other"))
        let response = try ResponseRecipe().with { $0.serialNumber = [7] }
            .encoded(for: files.leaf.certificate, issuer: files.intermediate)
        let cases: [(flag: String, bytes: [UInt8], words: String)] = [
            ("--crl", try Self.revoking(files) { $0.key = other.key }, "The signature of the revocation information"),
            (
                "--crl", try Self.revoking(files) { $0.thisUpdate = Encoding.utcTime(Instant.now + 86400) },
                "The revocation information begins in the future"
            ),
            ("--crl", try ListRecipe().encoded(by: other), "It is about no certificate of the chain"),
            ("--ocsp", response, "It is about no certificate of the chain"),
            ("--ocsp", ResponseRecipe.refusal(6), "The OCSP responder refused the request"),
        ]
        for one in cases {
            let path = try files.folder.write(bytes: one.bytes, to: "evidence.bin")
            let run = try await files.evaluate(arguments + [one.flag, path])
            #expect(run.status == (arguments.contains("hard-fail") ? .notTrusted : .failed))
            #expect(run.errors.contains("evidence.bin: \(one.words)"), "\(run.errors)")
            if arguments == ["--json"] {
                #expect(run.text.contains("\"evidence\"") && run.text.contains("\"isTrusted\" : true"))
            } else {
                #expect(run.text.contains("evidence.bin cannot be used. \(one.words)"), "\(run.text)")
            }
        }
    }

    @Test("A file with one used list is not an error, nor is one that no path reached")
    func usedFiles() async throws {
        let files = try ChainFiles()
        let other = try TestAuthority(root: .authority("Other"))
        let lists = [try ListRecipe().encoded(by: other), try ListRecipe().encoded(by: files.intermediate)]
        let text = lists.map { PEMDocument(type: "X509 CRL", derBytes: $0).pemString }.joined(separator: "\n")
        let path = try files.folder.write(text, to: "lists.pem")
        let run = try await files.evaluate(["--crl", path])
        #expect(run.status == .done && run.errors.isEmpty && !run.text.contains("lists.pem cannot"), "\(run.text)")
        #expect(run.text.contains("CN=server is not revoked"))
        let late = try await files.evaluate(["--crl", path], at: "2026-07-01")
        #expect(late.status == .notTrusted && late.errors.isEmpty)
        let anchor = try files.folder.write(other.certificate.serializeAsPEM().pemString, to: "other.pem")
        let unreached = try await CommandRun(
            [
                "trust", "evaluate", "--host", "a.test", "--chain", files.chain, "--anchor", anchor, "--at",
                "2026-06-01",
                "--crl", path,
            ], home: files.folder)
        #expect(unreached.status == .notTrusted && unreached.errors.isEmpty)
        #expect(unreached.text.contains("lists.pem was not used, because no path passed the other checks."))
    }

    @Test("The report contains the revocation information of each certificate below the anchor")
    func eachCertificate() async throws {
        let files = try ChainFiles()
        let path = try files.folder.write(bytes: ListRecipe().encoded(by: files.root), to: "root.crl")
        let run = try await files.evaluate(["--crl", path])
        #expect(run.status == .done)
        #expect(
            run.text.contains(
                """
                  not asked   revocation: Revocation was not checked for CN=server: the policy asks for it only where a certificate \
                demands it.
                """), "\(run.text)")
        let unchecked = try await files.evaluate([])
        #expect(
            unchecked.text.contains(
                """
                  not asked   revocation: Not checked: the policy asks for it only where a certificate demands it (--revocation \
                soft-fail).
                """), "\(unchecked.text)")
        #expect(run.text.contains("CN=Test Intermediate is not revoked; its status is valid until"))
        let own = try files.folder.write(bytes: ListRecipe().encoded(by: files.intermediate), to: "own.crl")
        let both = try await files.evaluate(["--crl", path, "--crl", own])
        #expect(both.text.contains("  ok          revocation: CN=server is not revoked"))
        let json = try await files.evaluate(["--crl", path, "--json"])
        for words in ["\"not-asked\"", "\"good\"", "\"endsInAnchor\" : true"] {
            #expect(json.text.contains(words), "\(json.text)")
        }
    }

    @Test(
        "A directory and a file with several parts are read, and unreadable parts are listed",
        arguments: ["--crl", "--ocsp"])
    func evidenceParts(flag: String) async throws {
        let files = try ChainFiles()
        let ofRoot = try ListRecipe().encoded(by: files.root)
        let response = try ResponseRecipe().encoded(for: files.leaf.certificate, issuer: files.intermediate)
        let folder = files.folder.file("evidence")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = try files.folder.write(bytes: response + ofRoot + [0x30, 1, 5], to: "evidence/all.der")
        for path in [path, folder] {
            let run = try await files.evaluate([flag, path, "--revocation", "hard-fail"])
            #expect(run.status == .done, "\(run.text)\(run.errors)")
            #expect(run.text.contains("all.der says that it is not revoked, valid until"), "\(run.text)")
            #expect(run.text.contains("all.der: Part 1: The revocation information cannot be read"), "\(run.text)")
        }
        let json = try await files.evaluate([flag, path, "--json"])
        for words in ["\"kind\" : \"file\"", "\"unreadableEvidence\"", "\"purpose\" : \"server\""] {
            #expect(json.text.contains(words), "\(json.text)")
        }
    }

    @Test("A file that is not a CRL or OCSP response is named in the error") func wrongEvidence() async throws {
        let files = try ChainFiles()
        for flag in ["--crl", "--ocsp"] {
            let run = try await files.evaluate([flag, files.chain])
            #expect(run.status == .failed)
            #expect(run.errors.contains("chain.pem: The "), "\(run.errors)")
            #expect(run.errors.contains("revocation list"))
        }
    }

    @Test("A staple is evaluated, and the report tells it from a fetched response") func staple() async throws {
        let feature = Certificate.Extension(
            oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: Encoding.sequence([2, 1, 5])[...])
        let files = try ChainFiles(change: { _, recipe in recipe.with { $0.extra.append(feature) } })
        func response(_ change: (inout ResponseRecipe) -> Void = { _ in }) throws -> [UInt8] {
            try ResponseRecipe().with(change).encoded(for: files.leaf.certificate, issuer: files.intermediate)
        }
        let expired = try response { $0.nextUpdate = Encoding.generalizedTime(Instant.now - 3600) }
        for (flag, bytes, status, text) in [
            ("--tls-staple", try response(), CommandStatus.done, "The server sent the OCSP response in the handshake."),
            ("--ocsp", try response(), .done, "none was received; one was fetched."),
            ("--tls-staple", expired, .notTrusted, "trust.bad-staple"),
            ("--tls-staple", [1], .notTrusted, "trust.bad-staple"),
            ("--ocsp", expired, .notTrusted, "trust.revocation-unknown"),
        ] {
            let run = try await files.evaluate([flag, files.folder.write(bytes: bytes, to: "response")])
            #expect(run.status == status && run.text.contains(text), "\(run.text)\(run.errors)")
        }
    }

    @Test(
        "A time that does not exist is refused",
        arguments: [
            "2026-13-01", "2027-02-30", "2027-02-29", "0000-01-01", "2027-01-01T25:00:00Z", "2016-12-31T23:59:60Z",
            "tomorrow", "", "2026-06-01 10:00",
        ])
    func instants(time: String) async throws {
        let run = try await ChainFiles().evaluate(at: time)
        #expect(run.status == .usage)
        #expect(run.errors.contains("Write it as 2026-11-21"))
    }

    @Test("A host must be a name or an address") func host() async throws {
        let run = try await ChainFiles().evaluate(host: "a test")
        #expect(run.status == .usage)
        #expect(run.errors.contains("is not a host name"))
    }

    @Test("A missing argument is an error") func missingArguments() async throws {
        await #expect(throws: (any Error).self) {
            try await CommandRun(["trust", "evaluate", "--host", "a.test"], home: Folder())
        }
    }

    @Test("A file is inspected without a host name unless --host specifies one") func inspection() async throws {
        let files = try ChainFiles()
        let anchor = ["--trust", "anchors-only", "--anchor", files.anchors]
        // The certificate has expired; the report still says that no host name was compared.
        let run = try await CommandRun(["trust", "inspect", files.chain] + anchor, home: files.folder)
        #expect(run.text.contains("No host name was compared; use --host NAME."))
        let named = try await CommandRun(
            ["trust", "inspect", files.chain, "--host", "b.test"] + anchor, home: files.folder)
        #expect(named.status == .notTrusted)
        #expect(named.text.contains("trust.host-mismatch"))
    }

    @Test("The error for a PKCS#12 file names the command that converts it") func pfx() async throws {
        // The outermost elements of a PFX structure (RFC 7292 section 4).
        let pfx: [UInt8] = [
            0x30, 0x14, 0x02, 0x01, 0x03, 0x30, 0x0F, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01,
            0xA0, 0x02, 0x04, 0x00,
        ]
        let folder = try Folder()
        let path = try folder.write(bytes: pfx, to: "identity.p12")
        let run = try await CommandRun(["trust", "inspect", path], home: folder)
        #expect(run.status == .failed)
        #expect(run.errors.contains("openssl pkcs12 -in FILE -nokeys"), "\(run.errors)")
    }

    @Test("A picture never overwrites an input, whatever its names") func protectedInputs() async throws {
        let files = try ChainFiles()
        let list = try files.folder.write(bytes: ListRecipe().encoded(by: files.root), to: "root.crl")
        let policy = try files.folder.write("version: 1\ndefault: {anchors: {only: [anchors.pem]}}", to: "policy.yaml")
        try files.folder.link("link.pem", to: "chain.pem")
        #expect(link(files.chain, files.folder.file("hard.pem")) == 0)
        let before = files.folder.names.map(files.folder.contents)
        let cases: [(picture: String, arguments: [String])] = [
            ("chain.pem", []), ("link.pem", []), ("hard.pem", []), ("anchors.pem", []), ("root.crl", ["--crl", list]),
            ("root.crl", ["--crl", files.folder.path]),
        ]
        for one in cases {
            let run = try await files.evaluate(["--svg", files.folder.file(one.picture)] + one.arguments)
            #expect(run.status == .usage && run.errors.contains("--svg would overwrite"), "\(one) \(run.errors)")
        }
        for picture in ["policy.yaml", "anchors.pem"] {
            let run = try await CommandRun(
                [
                    "trust", "inspect", files.chain, "--host", "a.test", "--at", "2026-06-01", "--policy", policy,
                    "--svg",
                    files.folder.file(picture),
                ], home: files.folder)
            #expect(run.status == .usage && run.errors.contains("--svg would overwrite"), "\(run.errors)")
        }
        let anchors = files.folder.file("anchors.pem")
        let variable = try await CommandRun(
            ["trust", "evaluate", "--host", "a.test", "--chain", files.chain, "--svg", anchors], home: files.folder,
            environment: ["SSL_CERT_FILE": anchors])
        #expect(variable.status == .usage && variable.errors.contains("--svg would overwrite"), "\(variable.errors)")
        #expect(files.folder.names.map(files.folder.contents) == before)
        let run = try await files.evaluate(["--svg", files.folder.file("new.svg")])
        let again = try await files.evaluate(["--svg", files.folder.file("new.svg")])
        #expect(run.status == .done && again.status == .done)
    }

    @Test("inspect and evaluate take the same options, with the same result") func sameOptions() async throws {
        let files = try ChainFiles()
        let list = try files.folder.write(bytes: Self.revoking(files), to: "list.crl")
        let policy = try files.folder.write(
            "version: 1\ndomains: {a.test: {anchors: {only: [anchors.pem]}, profile: web-pki}}", to: "policy.yaml")
        let anchor = ["--anchor", files.anchors]
        let cases: [(arguments: [String], status: CommandStatus, words: String)] = [
            (anchor, .done, "trusted"), ([], .notTrusted, "trust.issuer-not-found"),
            (anchor + ["--profile", "web-pki"], .notTrusted, "--tolerate "),
            (anchor + ["--crl", list], .notTrusted, "trust.revoked"),
            (anchor + ["--purpose", "client"], .notTrusted, "trust.extended-key-usage"),
            (anchor + ["--purpose", "any"], .done, "trusted"),
            (anchor + ["--revocation", "soft-fail", "--revocation-scope", "leaf"], .done, "trusted"),
            (anchor + ["--revocation", "hard-fail"], .notTrusted, "--crl FILE"),
            (["--policy", policy], .notTrusted, "trust.nonconforming"),
            (["--trust", "anchors-only"] + anchor, .done, "trusted"),
            (["--policy", policy, "--profile", "web-pki"], .usage, "--policy cannot be combined"),
            (anchor + ["--proxy", "http://a.test:1"], .usage, "--proxy is for servers"),
        ]
        for one in cases {
            let common = ["--host", "a.test", "--at", "2026-06-01"] + one.arguments
            let evaluated = try await CommandRun(
                ["trust", "evaluate", "--chain", files.chain] + common, home: files.folder)
            let inspected = try await CommandRun(["trust", "inspect", files.chain] + common, home: files.folder)
            #expect(evaluated.status == one.status, "\(one.arguments) \(evaluated.text)\(evaluated.errors)")
            #expect((evaluated.text + evaluated.errors).contains(one.words), "\(evaluated.text)\(evaluated.errors)")
            #expect(evaluated.text == inspected.text && evaluated.errors == inspected.errors)
        }
    }

    @Test("The days since the end of a certificate agree in the whole report, at every time of the day")
    func agreeingDates() async throws {
        let files = try ChainFiles()
        for time in ["2026-09-06T00:00:01Z", "2026-09-06T11:59:59Z", "2026-09-06T12:00:01Z", "2026-09-06T23:59:59Z"] {
            let run = try await files.evaluate(at: time)
            let found = Set(run.text.matches(of: #/([0-9]+) days ago/#).map { $0.1 })
            #expect(found.count == 1 && run.text.contains("ended"), "\(run.text)")
        }
    }

    @Test("A root and an unneeded certificate in a chain file are pointed out") func hints() async throws {
        let files = try ChainFiles { root, intermediate in
            let stranger = try TestAuthority(root: .authority("Stranger"))
            return [root.certificate, try stranger.issue(.authority("Lost")).certificate]
        }
        let run = try await files.evaluate()
        #expect(run.status == .done)
        #expect(run.text.contains("Certificate 2 (Test Root) is a root"))
        #expect(run.text.contains("Certificate 3 (Lost) has no place in the path"))
    }

    @Test("Control characters in a certificate's name are escaped") func controlCharacters() async throws {
        let run = try await ChainFiles(commonName: "\u{1B}[2J<script>\u{202E}").evaluate()
        #expect(!run.text.contains("\u{1B}"))
        #expect(run.text.contains("\\u{1b}[2J"))
    }
}

extension Folder {
    func write(bytes: [UInt8], to name: String) throws -> String {
        try Self.overwrite(file(name), with: bytes)
        return file(name)
    }
}
