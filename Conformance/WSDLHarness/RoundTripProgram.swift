// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WSDLCompiler
import XMLDocuments

/// The source of a program that reads samples with the generated types, and writes each again, next to the sample.
struct RoundTripProgram {
    private var calls = ""
    /// The paths of the samples.
    var paths: Set<String> = []

    /// Adds a sample, whose path is relative to the program's argument.
    mutating func add(_ message: GeneratedMessage, path: String) {
        let name = message.element.map { "XMLName(\(literal($0.local)), in: \(literal($0.namespace)))" } ?? "nil"
        calls +=
            "roundTrip(\(message.type).self, \(name), \(message.isEncoded ? ".soap11" : ".literal"), \(literal(path)))\n"
    }

    /// Returns a string literal with the necessary escapes only.
    private func literal(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    var text: String { Self.head + calls }

    private static let head = """
        import FoundationEssentials
        import XMLDocuments
        import XMLValues

        protocol SOAPBodyParts: XMLCodable {}

        func roundTrip<Value: XMLCodable>(_: Value.Type, _ name: XMLName?, _ encoding: SOAPEncoding, _ path: String) {
            let file = URL(fileURLWithPath: CommandLine.arguments[1] + "/" + path)
            do {
                let tree = try XMLTree(parsing: Array(Data(contentsOf: file)), limits: XMLLimits())
                var reader = try XMLReader(tree.root, of: tree, options: .strict)
                var writer = XMLWriter(encoding: encoding)
                try writer.startElement("Body")
                if let name {
                    let value: Value = try reader.read(tree.root.children[0])
                    try writer.element(name.local, in: name.namespace, value)
                } else {
                    let value = try Value(from: &reader)
                    try reader.finish()
                    try value.encode(to: &writer)
                }
                try writer.endElement()
                try Data(writer.bytes).write(to: URL(fileURLWithPath: file.path + ".out"))
            } catch {
                print("\\(path): \\(error)")
            }
        }


        """
}
