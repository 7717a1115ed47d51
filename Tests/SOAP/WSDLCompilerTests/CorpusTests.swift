// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Testing
import WSDLCompiler

@Suite struct CorpusTests {
    @Test("At least 159 of 200 descriptions are read, and each failure has a position") func corpus() async throws {
        let descriptions = try await TestData.descriptions.value
        guard !descriptions.isEmpty else { return }
        var counts = (read: 0, zeep: 0, wsdl2h: 0, either: 0, partly: 0)
        var lines: [String] = []
        for (row, result) in descriptions {
            counts.zeep += row.zeep ? 1 : 0
            counts.wsdl2h += row.wsdl2h ? 1 : 0
            counts.either += row.zeep || row.wsdl2h ? 1 : 0
            let others = "\(row.zeep ? "zeep" : "-   ") \(row.wsdl2h ? "wsdl2h" : "-     ")"
            switch result {
            case .success(let description):
                counts.read += 1
                lines.append("ok   \(others) \(row.file): \(Self.summary(description))")
                lines += description.warnings.map { "     warning \($0)" }
            case .failure(let error):
                lines.append("FAIL \(others) \(row.file) [\(error.code)]: \(error.explanation.message)")
                #expect(error.explanation.message.contains(/:\d+/), "\(row.file) names no line")
                if await Self.isReadPartly(row.file) { counts.partly += 1 }
            }
        }
        print(lines.joined(separator: "\n"))
        print(
            """
            read \(counts.read) of \(descriptions.count), and \(counts.partly) more without the operations that are broken; \
            zeep \(counts.zeep), wsdl2h \(counts.wsdl2h), either \(counts.either)
            """)
        #expect(counts.read >= 159)
    }

    private static func summary(_ description: ServiceDescription) -> String {
        let ports = description.services.flatMap(\.ports)
        let operations = ports.reduce(0) { $0 + $1.operations.count }
        return """
            services \(description.services.count), ports \(ports.count), operations \(operations), \
            types \(description.schema.types.count), elements \(description.schema.elements.count), \
            warnings \(description.warnings.count)
            """
    }

    /// Returns whether a description has usable operations if those with missing components are omitted.
    private static func isReadPartly(_ file: String) async -> Bool {
        var options = DescriptionOptions()
        options.omitsBrokenOperations = true
        let description = try? await ServiceDescription.read(file, from: TestData.source, options: options)
        return description?.services.contains { $0.ports.contains { !$0.operations.isEmpty } } ?? false
    }
}
