// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The namespaces that the compiler knows.
enum KnownNamespaces {
    static let schema = "http://www.w3.org/2001/XMLSchema"
    static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"
    static let xml = "http://www.w3.org/XML/1998/namespace"
    /// The namespace of namespace declarations.
    static let declarations = "http://www.w3.org/2000/xmlns/"
    static let wsdl = "http://schemas.xmlsoap.org/wsdl/"
    static let soap11Binding = "http://schemas.xmlsoap.org/wsdl/soap/"
    static let soap12Binding = "http://schemas.xmlsoap.org/wsdl/soap12/"
    static let mimeBinding = "http://schemas.xmlsoap.org/wsdl/mime/"
    static let soap11Encoding = "http://schemas.xmlsoap.org/soap/encoding/"
    static let soap12Encoding = "http://www.w3.org/2003/05/soap-encoding"
    static let policies = ["http://schemas.xmlsoap.org/ws/2004/09/policy", "http://www.w3.org/ns/ws-policy"]

    /// The XML Schema drafts, which later documents still use.
    static let draftSchemas: Set = ["http://www.w3.org/1999/XMLSchema", "http://www.w3.org/2000/10/XMLSchema"]

    /// The namespaces of attributes that messages add to elements: those of instances, envelopes and signed parts.
    static let messageAttributeNamespaces: Set = [
        schemaInstance, "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd",
    ]

    static func isEncoding(_ namespace: String) -> Bool {
        namespace == soap11Encoding || namespace == soap12Encoding
    }

    /// The conventional namespaces of prefixes, for documents that do not declare them.
    static let conventional = [
        "xs": schema, "xsd": schema, "s": schema, "wsdl": wsdl, "soap": soap11Binding, "soap12": soap12Binding,
        "mime": mimeBinding, "soapenc": soap11Encoding,
    ]
}
