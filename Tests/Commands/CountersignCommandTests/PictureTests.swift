// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import X509

@testable import CountersignCommand

#if canImport(FoundationXML)
    import FoundationXML
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#endif
import Foundation

@Suite("The picture of a verdict") struct PictureTests {
    @Test(
        "A path is drawn as a row of boxes",
        arguments: [
            (host: "a.test", trusted: 3, failed: 0, code: "Test Intermediate"),
            (host: "b.test", trusted: 0, failed: 1, code: "trust.host-mismatch"),
        ])
    func path(host: String, trusted: Int, failed: Int, code: String) async throws {
        let svg = try await draw(try ChainFiles(), host: host)
        // Each class occurs once more in the legend.
        #expect(svg.components(separatedBy: "box trusted").count - 2 == trusted)
        #expect(svg.components(separatedBy: "box failed").count - 2 == failed)
        #expect(svg.contains(code))
    }

    @Test("A failed path is drawn next to the trusted one") func failedPath() async throws {
        let files = try ChainFiles { root, intermediate in
            let key = intermediate.key
            let late = Recipe.authority("Test Intermediate", key: key).with { $0.notAfter = Instant.now - 60 }
            return [try root.issue(late).certificate]
        }
        let svg = try await draw(files, host: "a.test")
        #expect(svg.contains("2 paths tried"))
        #expect(svg.components(separatedBy: "box trusted").count - 2 == 3)
        #expect(svg.contains("✕ trust.expired"))
    }

    @Test(
        "Names in the picture are escaped",
        arguments: ["<script>alert(1)</script>", "a&b", "]]>", "\u{1B}\u{0}\u{FFFE}", "\"'"])
    func hostileNames(name: String) async throws {
        let svg = try await draw(try ChainFiles(commonName: name), host: "a.test")
        #expect(!svg.contains("<script"))
        #expect(XMLParser(data: Data(svg.utf8)).parse(), "\(svg)")
    }

    private func draw(_ files: ChainFiles, host: String) async throws -> String {
        let run = try await files.evaluate(["--svg", files.folder.file("paths.svg")], host: host)
        #expect(run.errors.isEmpty)
        return String(decoding: try #require(files.folder.contents(of: "paths.svg")), as: UTF8.self)
    }
}
