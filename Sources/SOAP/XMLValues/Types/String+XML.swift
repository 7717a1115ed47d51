// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Every type of texts: `string`, `token`, `anyURI`, `ID` and others.
extension String: XMLSimpleType {
    /// `xsd:string`.
    public static var xmlType: XMLName? { .schema("string") }

    /// ``XMLWhiteSpace/preserve``: white space stays as it is.
    public static var whiteSpace: XMLWhiteSpace { .preserve }

    /// Takes the text as it is.
    public init(xmlText text: String, in scope: XMLScope) { self = text }

    /// Returns the text as it is.
    public func xmlText(in scope: inout XMLScope) -> String { self }
}

extension XMLName {
    /// A name of XML Schema's own types.
    static func schema(_ local: String) -> XMLName { XMLName(local, in: XMLNamespace.schema) }
}
