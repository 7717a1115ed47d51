// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import FuzzDriver
import PolicyFiles
import TrustRecipes
import X509

/// Fuzzes policy files, whose anchors are a certificate, an expired one, none, or an unreadable file.
@main
enum PolicyFileFuzz {
    private struct Unreadable: Error {}

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in PolicySeeds.all }) { bytes, count in
            PolicyFileFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let root: Certificate? = try? TestAuthority(root: .authority("root")).certificate
    private static let expired: Certificate? = try? TestAuthority(
        root: .authority("old").with { $0.notAfter = Instant.now - 1 }
    ).certificate

    private static func test(_ input: [UInt8]) {
        do throws(PolicyFileError) {
            let file = try PolicyFile(input, name: "fuzz", at: Instant.now, anchors: anchors)
            check(file, in: input)
        } catch {
            for one in [error] + error.others { check(one.place, in: input) }
            precondition(error.others.count < 100, "more errors than the limit")
            guard case .syntax(let problem) = error.reason else { return }
            precondition(!problem.contains("Maximum nesting level"), "the parser received too deeply nested input")
        }
    }

    private static func anchors(_ path: String) throws -> [CertificateSummary] {
        switch path.utf8.count % 4 {
        case 0: throw Unreadable()
        case 1: []
        case 2: [expired].compactMap { $0.map { CertificateSummary($0) } }
        default: [root].compactMap { $0.map { CertificateSummary($0) } }
        }
    }

    private static func check(_ file: PolicyFile, in input: [UInt8]) {
        for warning in file.warnings { check(warning.place, in: input) }
        for entry in file.policies.entries {
            precondition(file.policies.entry(for: entry.domain) == entry, "an entry does not apply to its domain")
            precondition(!entry.includesSubdomains || !entry.domain.isAddress, "an address with subdomains")
        }
    }

    /// Checks that a position lies in the document, whose last line may be the empty one after the last line break.
    private static func check(_ place: PolicyFileLocation, in input: [UInt8]) {
        let lines = input.count { $0 == 0x0A || $0 == 0x0D } + otherBreaks(in: input) + 1
        precondition((1...lines).contains(place.line), "line \(place.line) of \(lines)")
        precondition((1...input.count + 2).contains(place.column), "column \(place.column) of \(input.count) bytes")
        precondition(!place.description.isEmpty && place.file == "fuzz")
        _ = place.key.description
    }

    /// The number of NEL, LS and PS characters, which are line breaks in YAML 1.1 (YAML 1.2.2 section 5.4).
    private static func otherBreaks(in input: [UInt8]) -> Int {
        String(decoding: input, as: UTF8.self).unicodeScalars.count { ["\u{85}", "\u{2028}", "\u{2029}"].contains($0) }
    }
}
