// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Testing
import WSDLCompiler

@Suite struct CorpusTests {
    @Test("At least 150 of 200 descriptions are read, and each failure names a place") func corpus() async throws {
        let rows = try TestData.manifest()
        guard !rows.isEmpty else {
            print("skipped: there is no folder testdata/wsdl")
            return
        }
        var read = 0
        var lines: [String] = []
        for row in rows {
            do {
                let clock = ContinuousClock()
                let start = clock.now
                let description = try await ServiceDescription.read(row.file, from: TestData.source)
                let time = clock.now - start
                read += 1
                let ports = description.services.flatMap(\.ports)
                let operations = ports.reduce(0) { $0 + $1.operations.count }
                lines.append(
                    "ok   \(row.file): services \(description.services.count), ports \(ports.count), operations \(operations), types \(description.schema.types.count), elements \(description.schema.elements.count), warnings \(description.warnings.count), \(time / .milliseconds(1)) ms"
                )
                for warning in description.warnings { lines.append("       warning \(warning)") }
            } catch {
                let text = error.explanation.message
                lines.append("FAIL \(row.file) [\(error.code)]: \(text)")
                #expect(text.contains(/:\d+/), "\(row.file): \(text)")
            }
        }
        print(lines.joined(separator: "\n"))
        print("read \(read) of \(rows.count)")
        #expect(read >= 150)
    }
}
