// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Testing

@testable import CommandSupport
@testable import CountersignCommand

/// Tests of the steps in docs/guide/trust.md.
@Suite struct ImportStoryTests {
    @Test("An imported root is trusted only with --trust imported") func importedRoot() async throws {
        try await withLab { lab, folder async throws in
            let home = try Folder()
            let (plain, secure) = (lab.url(.plainHTTP, "/image.png"), lab.url(.goodHTTPS, "/image.png"))

            let overHTTP = try await CommandRun(["get", plain], home: home)
            #expect(overHTTP.status == .done)
            #expect(overHTTP.output.starts(with: [0x89, 0x50, 0x4E, 0x47]))

            let refused = try await CommandRun(["get", secure, "-o", folder.file("image.png")], home: home)
            #expect(refused.status == .notTrusted)
            #expect(
                refused.errors.contains(
                    "is not trusted: the certificate of its issuer CN=Countersign Lab Intermediate was issued by"))
            #expect(refused.errors.contains("Countersign Lab Root"))
            #expect(folder.contents(of: "image.png") == nil)

            let imported = try await CommandRun(
                ["trust", "import", lab.url(.plainHTTP, "/ca.pem")], home: home, answers: ["y"])
            #expect(imported.status == .done)
            #expect(imported.text.contains("Fingerprint: "))

            let trusted = try await CommandRun(["get", secure, "--trust", "imported"], home: home)
            #expect(trusted.status == .done)
            #expect(trusted.output == overHTTP.output)

            let refusedAgain = try await CommandRun(["get", secure, "--trust", "default"], home: home)
            #expect(refusedAgain.status == .notTrusted)
        }
    }

    @Test(
        "A certificate is imported only after a confirmation",
        arguments: [
            (arguments: ["--yes"], answers: nil as [String]?, status: CommandStatus.done),
            (arguments: [], answers: ["y"], status: .done),
            (arguments: [], answers: ["n"], status: .failed),
            (arguments: [], answers: [""], status: .failed),
            (arguments: [], answers: nil, status: .failed),
            (arguments: ["--fingerprint", "00:11"], answers: ["y"], status: .failed),
        ])
    func confirmation(arguments: [String], answers: [String]?, status: CommandStatus) async throws {
        try await withLab { _, folder async throws in
            let home = try Folder()
            let run = try await CommandRun(
                ["trust", "import", folder.file("ca.pem")] + arguments, home: home, answers: answers)
            #expect(run.status == status)
            let list = try await CommandRun(["trust", "list"], home: home)
            #expect(list.text.contains("Lab Root") == (status == .done))
        }
    }

    @Test("The certificates of a file are imported together or not at all") func completeFile() async throws {
        try await withLab { lab, folder async throws in
            let home = try Folder()
            let pair = (folder.contents(of: "ca.pem") ?? []) + (folder.contents(of: "client-certificate.pem") ?? [])
            let bundle = try folder.write(String(decoding: pair, as: UTF8.self), to: "bundle.pem")
            let fingerprint = CertificateSummary(lab.authority).fingerprint
            let run = try await CommandRun(["trust", "import", bundle, "--fingerprint", fingerprint], home: home)
            #expect(run.status == .failed)
            #expect(try await CommandRun(["trust", "list"], home: home).text == "Nothing is imported.\n")
        }
    }

    @Test("An imported certificate can be removed") func removal() async throws {
        try await withLab { _, folder async throws in
            let home = try Folder()
            _ = try await CommandRun(["trust", "import", folder.file("ca.pem"), "--yes"], home: home)
            let name = try #require(AnchorFolder(environment: ["COUNTERSIGN_HOME": home.path]).names.first)
            #expect(try await CommandRun(["trust", "remove", "zz", "--yes"], home: home).status == .failed)
            #expect(try await CommandRun(["trust", "remove", String(name.prefix(8))], home: home).status == .failed)
            #expect(
                try await CommandRun(["trust", "remove", String(name.prefix(8)), "--yes"], home: home).status == .done)
            #expect(try await CommandRun(["trust", "list"], home: home).text == "Nothing is imported.\n")
        }
    }

    @Test("A malformed imported certificate is named in the error") func brokenAnchor() async throws {
        let home = try Folder()
        let folder = AnchorFolder(environment: ["COUNTERSIGN_HOME": home.path])
        try await withLab { lab, _ async throws in
            _ = try folder.add(lab.authority)
            let broken = try #require(folder.names.first)
            try Folder.overwrite(folder.path + "/" + broken, with: "rubbish")
            let run = try await CommandRun(["get", lab[.goodHTTPS].url, "--trust", "imported"], home: home)
            #expect(run.status == .failed)
            #expect(run.errors.contains(broken))
        }
    }
}

extension AnchorFolder {
    fileprivate var names: [String] { Folder.names(in: path) }
}
