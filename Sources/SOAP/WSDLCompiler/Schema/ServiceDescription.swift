// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The content of a WSDL document and its imports, with all references resolved (WSDL 1.1).
package struct ServiceDescription: Sendable {
    /// The identifier of the requested document.
    package var document: String
    /// The target namespace of the document.
    package var targetNamespace: String
    package var documentation: String?
    /// The services, in document order.
    ///
    /// A binding that no service uses becomes a service with the binding's name and no endpoint.
    package var services: [Service]
    package var schema: SchemaSet
    /// Warnings about tolerated errors and omitted content, in the order of discovery.
    package var warnings: [DescriptionWarning] = []
}

/// A service and its SOAP ports (WSDL 1.1 section 2.7).
///
/// Plain HTTP ports are left out.
package struct Service: Sendable {
    package var name: XMLName
    package var documentation: String?
    package var ports: [Port]
}

/// An endpoint and its binding (WSDL 1.1 sections 2.5, 2.6).
package struct Port: Sendable {
    package enum Version: Sendable { case soap11, soap12 }

    package var name: String
    package var documentation: String?
    /// The endpoint URL; `nil` if the description has none.
    package var endpoint: String?
    package var version: Version
    package var binding: XMLName
    package var portType: XMLName
    package var operations: [Operation]
}

/// An operation in one binding (WSDL 1.1 sections 2.4, 3.4).
package struct Operation: Sendable {
    package enum Style: Sendable { case document, rpc }

    /// The content of a Body or of a fault's detail.
    package enum Body: Sendable {
        /// The Body is empty.
        case empty
        /// One element (document style).
        case element(ElementDeclaration)
        /// The elements of a wrapper (rpc style), or several parts directly in the Body if `wrapper` is `nil`. A part
        /// is a reference to a global element, or has a type and an unqualified name.
        case parts(wrapper: XMLName?, [ElementDeclaration])
    }

    package struct Message: Sendable {
        package var name: XMLName
        package var body: Body
        package var headers: [ElementDeclaration]
        /// Whether values have `xsi:type` attributes (`use="encoded"`, SOAP 1.1 section 5).
        package var isEncoded: Bool
        /// The names of the parts that are sent as attachments (`mime:content`).
        package var attachments: [String]
    }

    package struct Fault: Sendable {
        package var name: String
        package var detail: ElementDeclaration
    }

    package var name: String
    package var documentation: String?
    /// The `SOAPAction` header, or the `action` parameter of SOAP 1.2; empty if the binding has none.
    package var action: String
    package var style: Style
    package var input: Message
    /// The response; `nil` for a one-way operation.
    package var output: Message?
    package var faults: [Fault]
    package var location: SourceLocation
}
