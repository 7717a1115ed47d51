// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing
import WSDLCompiler

@Suite struct SnippetTests {
    @Test("The client in the sample of docs/guide/soap.md is generated from its description") func client()
        async throws
    {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let description = try String(contentsOf: root.appending(path: "docs/guide/examples/bank.wsdl"), encoding: .utf8)
        var options = GenerationOptions()
        options.access = .internal
        options.singleFile = "Bank.swift"
        let made = try await Generated(document: description, options: options).text
        let client = made.drop { $0 != "\n" }.drop { $0 == "\n" }
        let snippet = try String(contentsOf: root.appending(path: "Snippets/CallBank.swift"), encoding: .utf8)
        #expect(client.count > 1_000)
        #expect(
            snippet.contains(client),
            "make it again with 'countersign soap generate --access internal --single-file Bank'")
    }
}
