// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite("Every option of curl is classified") struct CurlFlagTests {
    @Test("The table has each option of curl 7.88.1 once") func complete() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "curl-7.88.1-options.txt")
        let options = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(CurlFlag.all.map { "--" + $0.name }.sorted() == options.sorted())
        let letters = CurlFlag.all.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
    }

    @Test("An option classified as the same exists, with the same letter") func same() throws {
        let get = try #require(CommandShape(of: CountersignCommand.self).subcommand("get"))
        for flag in CurlFlag.all where flag.sentence(for: "") == nil && !["help"].contains(flag.name) {
            #expect(get.parameter("--\(flag.name)") != nil, "--\(flag.name)")
            if let letter = flag.letter {
                #expect(get.parameter("-\(letter)")?.isNamed("--\(flag.name)") ?? false, "-\(letter)")
            }
        }
    }

    @Test("An option classified otherwise does not exist, so that its explanation is printed") func others() throws {
        let get = try #require(CommandShape(of: CountersignCommand.self).subcommand("get"))
        // The trait Negotiate adds --negotiate; the table describes a build without it.
        let exceptions = ["json", "negotiate", "version"]
        for flag in CurlFlag.all where flag.sentence(for: "") != nil && !exceptions.contains(flag.name) {
            #expect(get.parameter("--\(flag.name)") == nil, "--\(flag.name)")
            // 'get -C' has no value, and its long name differs from curl's.
            guard let letter = flag.letter, letter != "C" else { continue }
            #expect(get.parameter("-\(letter)") == nil, "-\(letter)")
        }
    }

    @Test("An option that an explanation recommends exists") func recommended() throws {
        let program = CommandShape(of: CountersignCommand.self)
        let names = Set(
            ([program] + program.subcommands).flatMap(\.parameters).flatMap { $0.names ?? [] }.map(\.spelling))
        for flag in CurlFlag.all {
            guard case .written(let option, _) = flag.verdict, let first = option.split(separator: " ").first,
                first.hasPrefix("-")
            else { continue }
            #expect(names.contains(String(first)), "\(option)")
        }
    }

    @Test("The article From curl contains the table") func article() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let article = root.appending(path: "Sources/Client/Countersign/Countersign.docc/FromCurl.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(text.contains(CurlFlag.markdown), "copy into the article:\n\(CurlFlag.markdown)")
    }

    @Test(
        "An unsupported option of curl prints one explanation",
        arguments: [
            (
                ["get", "-k", "URL"],
                "-k is written --trust disabled here: any certificate is then accepted, so --anchor FILE is better."
            ),
            (
                ["get", "-sSk", "URL"],
                "-k is written --trust disabled here: any certificate is then accepted, so --anchor FILE is better."
            ),
            (
                ["post", "--cacert=a", "URL"],
                "--cacert is written --trust anchors-only --anchor FILE here: --anchor FILE alone adds to the system's."
            ),
            (
                ["get", "--anyauth", "URL"],
                "--anyauth is refused: the strongest method that the server offers is used in any case."
            ),
            (["head", "-I", "URL"], "-I is written countersign head URL here."),
        ])
    func sentence(_ arguments: [String], text: String) {
        #expect(throws: UsageError.curl(text)) { try CountersignCommand.command(for: arguments) }
    }

    @Test("Commands that send no requests do not mention curl") func notEverywhere() {
        #expect(throws: (any Error).self) { try CountersignCommand.command(for: ["trust", "list", "-k"]) }
        #expect(throws: Never.self) { try CountersignCommand.command(for: ["lab", "--directory", "-"]) }
    }
}
