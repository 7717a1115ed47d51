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
    private static let mostBytes = 64 << 20

    func document(at identifier: String) async throws -> [UInt8] {
        guard !identifier.hasPrefix("http:"), !identifier.hasPrefix("https:") else {
            throw GeneratorFailure(
                "a build fetches nothing; save the document and name it in the catalogue of wsdl-generator.json")
        }
        let file = URL(fileURLWithPath: identifier).resolvingSymlinksInPath()
        guard FileManager.default.isReadableFile(atPath: file.path) else {
            throw GeneratorFailure("there is no such file, or it may not be read")
        }
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? UInt64 ?? 0
        guard size <= Self.mostBytes else {
            throw GeneratorFailure("\(identifier) has more than \(Self.mostBytes) bytes")
        }
        return Array(try Data(contentsOf: file))
    }
}

/// Why the tool cannot do what it is asked for.
struct GeneratorFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
