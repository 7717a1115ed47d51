// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler

/// The files that are generated from a description in a test.
struct Generated {
    let files: [GeneratedFile]

    /// Generates Swift from components of a schema with the namespace `urn:t` and the prefix `t`.
    init(schema: String, form: String = "qualified", options: GenerationOptions = GenerationOptions()) async throws {
        try await self.init(
            document: """
                <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
                  elementFormDefault="\(form)">\(schema)</xs:schema>
                """, options: options)
    }

    /// Generates Swift from a complete document, `test.wsdl`, and its imported documents.
    init(
        document: String, others: [String: String] = [:], options: GenerationOptions = GenerationOptions()
    ) async throws {
        let source = ClosureSource.memory(others.merging(["test.wsdl": document]) { one, _ in one })
        let description = try await ServiceDescription.read("test.wsdl", from: source)
        files = SwiftGenerator(options).files(for: description)
    }

    /// The text of all files.
    var text: String { files.map(\.text).joined(separator: "\n") }

    /// Returns whether the text contains these consecutive lines, with any indentation.
    func has(_ lines: String) -> Bool {
        Self.bare(text).contains("\n" + Self.bare(lines) + "\n")
    }

    private static func bare(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.drop { $0 == " " }) }.joined(separator: "\n")
    }
}
