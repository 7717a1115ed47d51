// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import POSIX
import Testing
import WSDLCompiler

@Suite struct FormatTests {
    /// A schema whose source contains every kind of line that can be too long.
    private static var schema: String {
        let long = "anElementWithAVeryLongNameForALine"
        let longer = String(repeating: "Long", count: 10)
        return """
            <xs:complexType name="Plain"><xs:sequence>
              <xs:element name="\(long)" type="xs:string" default="\(longer)"/>
              <xs:element name="\(long)\(long)" type="t:\(long)" minOccurs="0" nillable="true"/>
              <xs:choice><xs:element name="\(long)One" type="t:\(long)"/><xs:element name="\(long)Two" type="t:Plain"/>
              <xs:any namespace="urn:a urn:b \(longer)"/></xs:choice>
              </xs:sequence><xs:attribute name="\(long)Three" type="t:Kind"/><xs:anyAttribute/></xs:complexType>
            <xs:simpleType name="\(long)"><xs:restriction base="xs:string"><xs:maxLength value="9"/>
              <xs:pattern value="\(longer)"/><xs:pattern value="b"/></xs:restriction></xs:simpleType>
            <xs:simpleType name="Kind"><xs:restriction base="xs:string"><xs:enumeration value="a"/>
              <xs:enumeration value="\(longer) \(longer)"/></xs:restriction></xs:simpleType>
            <xs:complexType name="\(long)Derived"><xs:complexContent><xs:extension base="t:Plain"/></xs:complexContent></xs:complexType>
            """
    }

    @Test("Generated code has the format of swift-format")
    func format() async throws {
        let swift = try await Generated(schema: Self.schema)
        for file in swift.files {
            guard let formatted = try Self.formatted(file.text) else {
                print("skipped: there is no swift-format")
                return
            }
            #expect(formatted == file.text)
        }
    }

    /// Returns the text in the format of swift-format with the repository's configuration; `nil` without the tool.
    ///
    /// Foundation's `Process` cannot be used together with libxml2, because both link ICU.
    private static func formatted(_ text: String) throws -> String? {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("format-\(UUID()).swift")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let configuration = root.appendingPathComponent(".swift-format").path
        guard let pipe = popen("swift format --configuration '\(configuration)' '\(file.path)' 2>/dev/null", "r") else {
            return nil
        }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            guard count > 0 else { break }
            output += buffer.prefix(count)
        }
        guard pclose(pipe) == 0 else { return nil }
        return String(decoding: output, as: UTF8.self)
    }
}
