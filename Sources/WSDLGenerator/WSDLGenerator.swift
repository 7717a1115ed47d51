// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WSDLCompiler

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The tool of the build plugin: makes Swift from one description, of documents on this machine only.
@main
enum WSDLGenerator {
    /// An error that leaves `main` is printed to standard error, and the status is not 0.
    static func main() async throws {
        let arguments = try GeneratorArguments(Array(CommandLine.arguments.dropFirst()))
        let description = try await ServiceDescription.read(
            arguments.description, from: FileSource(), options: arguments.reading)
        for warning in description.warnings { print("warning: \(warning)") }
        let folder = URL(fileURLWithPath: arguments.folder, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in SwiftGenerator(arguments.options).files(for: description) { try write(file, to: folder) }
    }

    /// Writes a file, unless it has that text already, so that nothing is compiled again without need.
    private static func write(_ file: GeneratedFile, to folder: URL) throws {
        let url = folder.appendingPathComponent(file.name)
        let data = Data(file.text.utf8)
        if let old = try? Data(contentsOf: url), old == data { return }
        try data.write(to: url, options: .atomic)
    }
}
