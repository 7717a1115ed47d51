// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import WSDLCompiler
import XMLDocuments

/// Generates Swift, samples, and programs that read and write the samples, from all descriptions in a manifest.
///
/// `scripts/interop/compile-wsdl` compiles and runs the output. Usage: `WSDLHarness FOLDER OUTPUT`
@main
struct WSDLHarness {
    let folder: URL
    let output: URL

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            print("usage: WSDLHarness FOLDER OUTPUT")
            return
        }
        let harness = WSDLHarness(
            folder: URL(fileURLWithPath: arguments[1], isDirectory: true),
            output: URL(fileURLWithPath: arguments[2], isDirectory: true))
        try await harness.run()
    }

    private func run() async throws {
        let manifest = try Data(contentsOf: folder.appendingPathComponent("manifest.json"))
        var rows: [Row] = []
        for file in try JSONDecoder().decode([ManifestRow].self, from: manifest).map(\.file) {
            var row = Row(file: file)
            do {
                let source = ClosureSource { identifier in
                    guard !identifier.hasPrefix("http") else { throw NoNetwork() }
                    return Array(try Data(contentsOf: URL(fileURLWithPath: identifier)))
                }
                let path = folder.appendingPathComponent(file).path
                let description = try await ServiceDescription.read(path, from: source)
                try write(description, row: &row)
            } catch {
                row.error = "\(error)".replacing(folder.path, with: "")
            }
            rows.append(row)
        }
        // The validator also uses the built-in schemas, because it has no network access.
        for (index, text) in WellKnownSchemas.texts.sorted(by: { $0.key < $1.key }).map(\.value).enumerated() {
            try write(Array(text.utf8), "known/\(index).xsd")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(rows).write(to: output.appendingPathComponent("rows.json"))
    }

    private func write(_ description: ServiceDescription, row: inout Row) throws {
        for file in SwiftGenerator().files(for: description) {
            try write(Array(file.text.utf8), "source/\(row.file)/\(file.name)")
        }
        var options = GenerationOptions()
        options.includesServices = false
        let generator = SwiftGenerator(options)
        for file in generator.files(for: description) {
            try write(Array(file.text.utf8), "program/\(row.file)/\(file.name)")
        }
        var program = RoundTripProgram()
        for message in generator.messages(of: description) {
            for variant in SampleVariant.allCases {
                try writeSample(message, variant, in: description.schema, row: &row, program: &program)
            }
        }
        try write(Array(program.text.utf8), "program/\(row.file)/main.swift")
    }

    private func writeSample(
        _ message: GeneratedMessage, _ variant: SampleVariant, in schema: SchemaSet, row: inout Row,
        program: inout RoundTripProgram
    ) throws {
        var operation = message.operation
        if message.isResponse, let output = operation.output { operation.input = output }
        let name = "\(message.binding.local).\(message.index).\(operation.name).\(variant).xml"
        do {
            let body = try SampleRequest(of: operation, in: schema).envelopeBody(variant)
            let path = "\(message.isResponse ? "responses" : "samples")/\(row.file)/\(name)"
            // Several ports may share a binding.
            guard program.paths.insert(path).inserted else { return }
            try write(Array("<Body>".utf8) + body + Array("</Body>".utf8), path)
            program.add(message, path: path)
            row.samples += 1
            if message.isEncoded { row.encoded.append(path) }
        } catch let error as WSDLCompilerError {
            row.sampleError = "\(error)"
        }
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        let file = output.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }
}

/// A row of the folder's manifest.
private struct ManifestRow: Decodable {
    let file: String
}

/// The result for a description.
private struct Row: Encodable {
    let file: String
    /// The error, if no Swift could be generated.
    var error: String?
    var samples = 0
    /// The paths of samples in SOAP encoding.
    var encoded: [String] = []
    var sampleError: String?
}

private struct NoNetwork: Error, CustomStringConvertible {
    var description: String { "nothing is fetched here" }
}
