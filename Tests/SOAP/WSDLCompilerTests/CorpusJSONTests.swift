// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations
import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct CorpusJSONTests {
    @Test("Each sample is equal after a conversion to JSON and back") func roundTrip() async throws {
        var counts = (same: 0, differs: 0)
        for (row, result) in try await TestData.descriptions.value {
            guard case .success(let description) = result else { continue }
            let coder = DynamicCoder(description.schema)
            for operation in description.services.flatMap(\.ports).flatMap(\.operations) {
                for variant in SampleVariant.allCases {
                    let sample = SampleRequest(of: operation, in: description.schema)
                    do {
                        let first = try sample.json(variant)
                        let trees = try coder.elements(for: JSONValue(parsing: Array(first.utf8)), of: operation.input)
                        let body = try coder.body(forJSON: Array(first.utf8), of: operation.input)
                        let second = try coder.json(
                            fromBody: Array("<Body>".utf8) + body + Array("</Body>".utf8), of: operation.input)
                        let isSame = try first == second && trees == sample.elements(variant)
                        if isSame { counts.same += 1 } else { counts.differs += 1 }
                        if !isSame, counts.differs < 20 {
                            print("differs: \(row.file) \(operation.name) \(variant)\n\(first)\n--\n\(second)")
                            print(String(decoding: try sample.envelopeBody(variant), as: UTF8.self))
                            print(String(decoding: body, as: UTF8.self))
                        }
                    } catch {
                        counts.differs += 1
                        print("no JSON: \(row.file) \(operation.name) \(variant): \(error)")
                    }
                }
            }
        }
        print("by way of JSON the same \(counts.same), not the same \(counts.differs)")
        #expect(counts.differs == 0)
    }
}
