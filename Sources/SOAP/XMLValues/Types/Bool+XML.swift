// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `boolean`.
extension Bool: XMLSimpleType {
    /// `xsd:boolean`.
    public static var xmlType: XMLName? { .schema("boolean") }

    /// Reads `true`, `false`, `1` and `0`.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        switch text {
        case "true", "1": self = true
        case "false", "0": self = false
        default: throw .invalid(text: text, type: "boolean")
        }
    }

    /// Returns `true` or `false`.
    public func xmlText(in scope: inout XMLScope) -> String { self ? "true" : "false" }
}
