// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import NearbyProgram
import Testing

@testable import DiscoverCommand
@testable import NibCommand
@testable import ReverseCommand
@testable import TunnelCommand

@Suite("Errors of the programs") struct ErrorPageTests {
    /// The error lists, in the order of the page.
    private static let lists = [
        DiscoverProgram.errors, ReverseProgram.errors, TunnelProgram.errors, NibProgram.errors,
    ].map { ErrorList($0) }

    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    @Test("A code has one format, belongs to one program, and has a message, a reason and advice") func codes() {
        let entries = Self.lists.flatMap(\.entries)
        #expect(Set(entries.map(\.code)).count == entries.count)
        for entry in entries {
            #expect(entry.code.wholeMatch(of: #/[a-z]+\.[a-z0-9-]+/#) != nil, "\(entry.code)")
            for part in [entry.message, entry.reason, entry.advice] {
                #expect(part.count > 8 && (part.last == "." || part.last == "?"), "\(entry.code): \(part)")
            }
        }
    }

    @Test("Each code in the sources has an example") func examples() throws {
        let known = Set(Self.lists.flatMap(\.entries).map(\.code))
        // This code only makes a sentence printable, and ends no program.
        let others: Set = ["tunnel.event"]
        let sources = Self.root.appending(path: "Nearby/Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/ErrorExplanation\(\s*"([a-z]+\.[a-z0-9-]+)"/#) {
                found.insert(String(match.1))
            }
        }
        #expect(found.subtracting(others) == known)
    }

    @Test("The reference page of errors matches the code") func page() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/reference/errors-nearby.md"), encoding: .utf8)
        #expect(page.hasSuffix("\n\n" + Self.lists.map { $0.markdown + "\n" }.joined()), "run 'make errors'")
    }

    @Test("A known code is explained as text and as JSON, and an unknown one is not") func explaining() throws {
        let list = try #require(Self.lists.first)
        #expect(list.answer(["discover.not-found"])?.contains("The service \"Printer\" was not found.") == true)
        #expect(list.answer(["--json", "discover.not-found"])?.contains(#""stage" : "discover""#) == true)
        #expect(list.answer([])?.split(separator: "\n").count == list.entries.count)
        for arguments in [["discover.no-such"], ["discover.not-found", "discover.not-found"], ["--xml"]] {
            #expect(list.answer(arguments) == nil)
        }
    }
}
