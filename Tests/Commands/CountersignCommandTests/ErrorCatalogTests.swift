// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import Testing

@testable import CommandSupport
@testable import CountersignCommand
@testable import AuthorityCommand
@testable import KeychainCommand
@testable import SOAPCommand
@testable import WebCommand

@Suite struct ErrorCatalogTests {
    @Test("A code has one form, and belongs to one error type") func codes() {
        var types: [String: String] = [:]
        for type in Self.catalog.types {
            for code in Set(type.examples.map(\.code)) {
                #expect(code.wholeMatch(of: #/[a-z][a-z0-9-]*\.[a-z0-9-]+/#) != nil, "\(code)")
                #expect(types[code] == nil, "\(code) is in \(type) and in \(types[code] ?? "")")
                types[code] = "\(type)"
            }
        }
    }

    @Test("An error says what happened, why, and what to try", arguments: Self.catalog.entries)
    func parts(entry: ErrorExplanation) {
        for part in [entry.message, entry.reason, entry.advice] {
            #expect(part.count > 8, "\(entry.code): \(part)")
            #expect(part.last.map(".?)".contains) == true || entry.code == "file.pkcs12", "\(entry.code): \(part)")
        }
        #expect(entry.message != entry.reason && entry.reason != entry.advice)
    }

    @Test("Each code in the sources has an example") func examples() throws {
        let known = Set(Self.catalog.entries.map(\.code))
        let stages = Set(Self.catalog.entries.map(\.stage))
        // The names of three handlers, a queue, a host, a file, and of functions in generated code look the same.
        let others: Set = [
            "lab.pipelining", "lab.connection", "lab.rules", "lab.announcer", "lab.local", "policy.yaml", "xml.element",
            "xml.elements", "xml.nillable",
            "xml.nillables", "xml.group", "web.json",
        ]
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var missing: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/(?:Explanation\(\s*|, |: )"([a-z][a-z0-9-]*)\.([a-z0-9-]+)"/#) {
                let code = "\(match.1).\(match.2)"
                if stages.contains(String(match.1)), !known.contains(code), !others.contains(code) {
                    missing.insert(code)
                }
            }
        }
        #expect(missing.isEmpty)
    }

    @Test("The page of errors is that of the code") func page() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/reference/errors.md"), encoding: .utf8)
        for program in Self.programs { #expect(page.contains(program.markdown), "run 'make errors'") }
    }

    @Test("Every public error of every target explains itself") func publicErrors() throws {
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var (declared, explained, listed): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/public (?:enum|struct|final class) (\w+): [^{]*\bError\b/#) {
                declared.insert(String(match.1))
            }
            for match in text.matches(of: #/extension (\w+): CataloguedError/#) {
                explained.insert(String(match.1))
                // Those of a session's stages are in SessionError's examples.
                if !file.path.contains("/Countersign/Errors/") { listed.insert(String(match.1)) }
            }
        }
        #expect(listed.subtracting(Self.catalog.types.map { "\($0)" }).isEmpty)
        #expect(declared.count > 20)
        #expect(declared.subtracting(explained).isEmpty)
    }

    @Test("Options are named for codes that exist") func options() {
        let known = Set(Self.catalog.entries.map(\.code))
        #expect(Failure.hintedCodes.subtracting(known).isEmpty)
    }

    @Test("A command names only the options that it has") func ownOptions() {
        #expect(Failure.hint(for: "trust.issuer-not-found") == "Options: --fetch-issuers, --anchor FILE.")
        #expect(Failure.hint(for: "trust.issuer-not-found", optionsOf: ["anchor"]) == "Option: --anchor FILE.")
        #expect(Failure.hint(for: "trust.issuer-not-found", optionsOf: []) == "")
        #expect(Failure.hint(for: "tls.no-common-version", optionsOf: ["tls-max"]) == "")
    }

    private static let programs = [
        CountersignCommand.errors, KeychainProgram.errors, AuthorityProgram.errors, SOAPProgram.errors,
        WebProgram.errors,
    ]
    private static let catalog = ErrorCatalog(programs.flatMap(\.types))

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
