// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WSDLCompiler

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Documents in files; a build asks no network.
struct FileSource: DocumentSource {
    func document(at identifier: String) async throws -> [UInt8] {
        guard !identifier.hasPrefix("http:"), !identifier.hasPrefix("https:") else {
            throw GeneratorFailure(
                "a build fetches nothing; save the document and name it in the catalogue of wsdl-generator.json")
        }
        return Array(try Data(contentsOf: URL(fileURLWithPath: identifier)))
    }
}

/// Why the tool cannot do what it is asked for.
struct GeneratorFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
