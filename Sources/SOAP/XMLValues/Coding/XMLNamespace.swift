// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The namespaces that the runtime itself knows.
package enum XMLNamespace {
    package static let schema = "http://www.w3.org/2001/XMLSchema"
    package static let instance = "http://www.w3.org/2001/XMLSchema-instance"
    package static let xml = "http://www.w3.org/XML/1998/namespace"
    package static let declarations = "http://www.w3.org/2000/xmlns/"
    package static let include = "http://www.w3.org/2004/08/xop/include"
    /// SOAP 1.1 section 5.
    package static let encoding11 = "http://schemas.xmlsoap.org/soap/encoding/"
    /// SOAP 1.2 Part 2 section 3.
    package static let encoding12 = "http://www.w3.org/2003/05/soap-encoding"

    /// The prefixes that these have unless the writer's caller chose others.
    static let prefixes: [(namespace: String, prefix: String)] = [
        (schema, "xsd"), (instance, "xsi"), (include, "xop"), (encoding11, "soapenc"),
        (encoding12, "enc"),
    ]
}
