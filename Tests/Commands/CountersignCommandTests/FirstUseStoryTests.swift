// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import CertificateTrust
import ChallengeLab
import Testing

@testable import CountersignCommand

/// Tests of trust on first use, with a server with a self-signed certificate.
struct FirstUseStoryTests {
    private func get(_ url: String, _ home: Folder) async throws -> CommandRun {
        try await CommandRun(["get", url, "--trust", "first-use"], home: home)
    }

    @Test("The first key is accepted, required later, and forgotten only on request") func firstUse() async throws {
        try await withLab { lab, _ async throws in
            let (home, url) = (try Folder(), lab.url(.selfSigned, "/"))
            let address = String(url.dropFirst("https://".count).dropLast())
            let first = try await get(url, home)
            #expect(first.status == .done && first.errors.contains("no anchor vouches for \(address)"))
            let again = try await get(url, home)
            #expect(again.status == .done && again.errors.isEmpty)

            // The remembered key is replaced by another one, so that the server's key no longer matches.
            let file = home.file("servers/") + address.replacing(":", with: "_") + ".json"
            let stranger = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            try Folder.overwrite(file, with: "{\"key\":\"\(stranger)\",\"since\":\"2026-01-02T03:04:05Z\"}")
            let changed = try await get(url, home)
            #expect(
                changed.status == .notTrusted
                    && changed.errors.contains("\(stranger), first seen on 2026-01-02 03:04 UTC"))

            let refused = try await CommandRun(["trust", "forget", address], home: home)
            #expect(refused.status == .failed && refused.text.contains(stranger))
            let forgotten = try await CommandRun(["trust", "forget", address, "--yes"], home: home)
            #expect(forgotten.status == .done)
            #expect(try await get(url, home).status == .done)
        }
    }

    @Test("A malformed file with a remembered key is an error") func malformedMemory() async throws {
        try await withLab { lab, _ async throws in
            let (home, url) = (try Folder(), lab.url(.selfSigned, "/"))
            _ = try await get(url, home)
            let name = url.dropFirst("https://".count).dropLast().replacing(":", with: "_")
            let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            // A date that does not exist is malformed.
            for text in ["{}", "{\"key\":\"\(pin)\",\"since\":\"2026-02-30T03:04:05Z\"}"] {
                try Folder.overwrite(home.file("servers/\(name).json"), with: text)
                let run = try await get(url, home)
                #expect(run.status == .failed && run.errors.contains("\(name).json"))
            }
            #expect(try await CommandRun(["trust", "forget", "other.test", "--yes"], home: home).status == .failed)
        }
    }

    @Test("An inspection does not remember the key") func inspection() async throws {
        try await withLab { lab, _ async throws in
            let (home, url) = (try Folder(), lab.url(.selfSigned, "/"))
            for _ in 0..<2 {
                let run = try await CommandRun(["trust", "inspect", url, "--trust", "first-use"], home: home)
                #expect(run.text.contains("seen for the first time"))
            }
        }
    }
}
