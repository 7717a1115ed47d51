// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import EssentialFoundation
import WSDLCompiler

/// `countersign soap generate`.
struct GenerateCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Generate a Swift client from a service's description.",
        discussion: """
            Writes a file for each namespace, with types and, for each service, a struct that has an async method for each \
            operation. The same description gives the same bytes. A file of the same name is replaced only if this \
            command generated it.

            The target that compiles the files depends on the product SOAPClients. The build plugin WSDLPlugin does the same \
            whenever the description changes.

            Example: countersign soap generate https://bank.example/accounts?wsdl --anchor ca.pem -o Sources/Bank
            """)

    @OptionGroup
    var input: DescriptionOptionGroup

    @OptionGroup
    var session: SessionOptionGroups

    @Option(name: .shortAndLong, help: ArgumentHelp("The folder of the files.", valueName: "folder"))
    var output = "."

    @Option(help: "The access level of the types: public, package or internal.")
    var access: GenerationOptions.Access = .public

    @Option(help: ArgumentHelp("Write everything into one file of this name.", valueName: "name"))
    var singleFile: String?

    @Flag(help: "Replace files that this command did not generate.")
    var force = false

    @Flag(help: "Print the names of the files and the warnings as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { input.description }

    func perform(on console: Console) async throws -> CommandStatus {
        try input.refuse(session.credentials)
        let description = try await input.read(in: session, on: console)
        var options = GenerationOptions()
        options.access = access
        options.singleFile = singleFile.map { $0.hasSuffix(".swift") ? $0 : $0 + ".swift" }
        let files = SwiftGenerator(options).files(for: description)
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let paths = files.map { folder.appending(path: $0.name).path }
        for path in paths where !force { try checkGeneratedFile(path) }
        for (file, path) in zip(files, paths) { try OutputFile.write(file.text, to: path) }
        try report(description, paths, on: console)
        return .done
    }

    /// Refuses to replace a file that does not begin with the mark of generated files.
    private func checkGeneratedFile(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let mark = Array(GeneratedFile.mark.utf8)
        guard try InputFile.read(path, limit: 256 << 20).starts(with: mark) else {
            throw SOAPCommandError.foreignFile(path: path)
        }
    }

    private func report(_ description: ServiceDescription, _ paths: [String], on console: Console) throws {
        if json {
            return try console.print(json: Report(files: paths, warnings: description.warnings.map(\.description)))
        }
        for path in paths { try console.print(path) }
    }

    private struct Report: Encodable {
        let files: [String]
        let warnings: [String]
    }
}

extension GenerationOptions.Access: ExpressibleByArgument {}
