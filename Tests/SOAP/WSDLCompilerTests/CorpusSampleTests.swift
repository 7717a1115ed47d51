// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import EssentialFoundation
import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct CorpusSampleTests {
    /// The folder for the samples that `scripts/interop/validate-samples` validates; `nil` to write no samples.
    private static let output = ProcessInfo.processInfo.environment["COUNTERSIGN_SAMPLES"]

    @Test("Each operation of the readable descriptions has well-formed samples")
    func samples() async throws {
        var counts = (made: 0, failed: 0)
        for (row, result) in try await TestData.descriptions.value {
            guard case .success(let description) = result else { continue }
            for port in description.services.flatMap(\.ports) {
                for (index, operation) in port.operations.enumerated() {
                    for variant in SampleVariant.allCases {
                        do {
                            let bytes = try SampleRequest(of: operation, in: description.schema).envelopeBody(variant)
                            let document = Array("<Body>".utf8) + bytes + Array("</Body>".utf8)
                            _ = try XMLTree(parsing: document, limits: XMLLimits())
                            let name = "\(port.binding.local).\(index).\(operation.name).\(variant).xml"
                            try write(document, to: "\(row.file)/\(name)")
                            counts.made += 1
                        } catch {
                            counts.failed += 1
                            print("no \(variant) sample of \(operation.name): \(error)")
                        }
                    }
                }
            }
        }
        print("samples made \(counts.made), not made \(counts.failed)")
        #expect(counts.failed <= 0)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        guard let output = Self.output else { return }
        let file = URL(fileURLWithPath: output).appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    @Test("Built-in schemas are read without a problem", arguments: KnownSchema.all)
    func wellKnown(_ schema: KnownSchema) async throws {
        try write(Array(schema.text.utf8), to: "known/\(schema.index).xsd")
        let source = ClosureSource.memory(["known.xsd": schema.text])
        let description = try await ServiceDescription.read("known.xsd", from: source)
        #expect(description.warnings.map(\.description) == [])
        #expect(description.targetNamespace == schema.namespace)
    }
}

/// A schema that is built into the reader.
struct KnownSchema: CustomTestStringConvertible {
    var index: Int
    var namespace: String
    var text: String

    var testDescription: String { namespace }

    static let all = WellKnownSchemas.texts.sorted { $0.key < $1.key }.enumerated()
        .map { KnownSchema(index: $0.offset, namespace: $0.element.key, text: $0.element.value) }
}
