// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import XMLValues

/// Fuzzes the reading of values of many types from a document.
///
/// A value that can be read can be written, and is equal when it is read again.
@main
enum ValueFuzz {
    static func main() throws {
        for seed in ValueSeeds.all { test(seed) }
        let status = try FuzzDriver.run(seeds: { _ in ValueSeeds.all }) { bytes, count in
            ValueFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        check(FuzzValue.self, input, .strict)
        check(FuzzValue.self, input, .lenient)
        check(XMLAnyValue.self, input, .strict)
        check(XMLSOAPArray<FuzzValue>.self, input, .lenient)
        guard let tree = try? XMLTree(parsing: input, limits: XMLLimits()),
            let references = try? XMLReferences(in: tree, following: 100)
        else { return }
        let attachment = XMLAttachment([1, 2, 3])
        let reader = try? XMLReader(tree.root, of: tree, references: references) { _ in attachment }
        _ = try? reader?.read(tree.root) as FuzzValue?
        _ = try? reader?.read(tree.root) as XMLSOAPArray<FuzzValue>?
    }

    /// Reads a value, writes it, and compares the texts after it was read again.
    private static func check<Value: XMLCodable>(_ type: Value.Type, _ input: [UInt8], _ options: XMLReadingOptions) {
        guard let value = try? Value(xml: input, options: options) else { return }
        let written: [UInt8]
        do throws(XMLValueError) { written = try value.xml(XMLName("v")) } catch {
            // A prefix in a text can have the same name as that of the element; the writer refuses such values.
            if case .name(let name, _) = error, name.hasPrefix("xmlns:") { return }
            // Elements that lenient reading skips, and any content, may be nested more deeply than the writer allows.
            guard case .tooDeep = error else { fatalError("\(error)") }
            return
        }
        do throws(XMLValueError) {
            // The texts are compared instead of the values, because NaN is not equal to itself.
            let again = try Value(xml: written, options: options).xml(XMLName("v"))
            precondition(again == written, "a value differs when read again")
        } catch {
            if case .tooDeep = error { return }
            fatalError("\(error)")
        }
    }
}
