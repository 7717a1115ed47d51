// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import POSIX
import WSDLCompiler

/// The tool of the build plugin, which generates Swift for one description from local documents only.
@main
enum WSDLGenerator {
    /// Runs the tool; errors are printed for the build log, since an error thrown from `main` would print a backtrace.
    static func main() async {
        do {
            try await generate(GeneratorArguments(Array(CommandLine.arguments.dropFirst())))
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func generate(_ arguments: GeneratorArguments) async throws {
        let description = try await ServiceDescription.read(
            arguments.description, from: FileSource(), options: arguments.reading)
        for warning in description.warnings { print("warning: \(warning)") }
        let folder = URL(fileURLWithPath: arguments.folder, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in SwiftGenerator(arguments.options).files(for: description) { try write(file, to: folder) }
    }

    /// Writes a file, unless its content is unchanged, so that the build does not recompile it.
    private static func write(_ file: GeneratedFile, to folder: URL) throws {
        let url = folder.appendingPathComponent(file.name)
        let data = Data(file.text.utf8)
        if let old = try? Data(contentsOf: url), old == data { return }
        try data.write(to: url, options: .atomic)
    }
}

/// Reads documents from local files, since builds must not use the network.
private struct FileSource: DocumentSource {
    private static let maximumByteCount = 64 << 20

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
        guard size <= Self.maximumByteCount else {
            throw GeneratorFailure("\(identifier) has more than \(Self.maximumByteCount) bytes")
        }
        return Array(try Data(contentsOf: file))
    }
}

/// An error of the tool.
struct GeneratorFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
