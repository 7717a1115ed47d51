// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// What a WSDL document and all that it imports say, with every reference resolved (WSDL 1.1).
package struct ServiceDescription: Sendable {
    /// The document that was asked for.
    package var document: String
    /// Its `targetNamespace`.
    package var targetNamespace: String
    package var documentation: String?
    /// In document order.
    ///
    /// Bindings that no service names are in a service with the binding's name and no endpoint.
    package var services: [Service]
    package var schema: SchemaSet
    /// What was read although it is not as it should be, or left out, in the order in which it was found.
    package var warnings: [DescriptionWarning] = []
}

/// A service and its ports over SOAP (WSDL 1.1 section 2.7).
///
/// Ports over plain HTTP are left out.
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
    /// `nil` where the description names none.
    package var endpoint: String?
    package var version: Version
    package var binding: XMLName
    package var portType: XMLName
    package var operations: [Operation]
}

/// An operation as one binding has it (WSDL 1.1 sections 2.4, 3.4).
package struct Operation: Sendable {
    package enum Style: Sendable { case document, rpc }

    /// What stands in a Body or, for a fault, in its detail.
    package enum Body: Sendable {
        /// The Body is empty.
        case empty
        /// One element (document style).
        case element(ElementDeclaration)
        /// Elements of a wrapper (rpc style), or several parts of a document's Body where `wrapper` is `nil`.
        /// A part has an element's declaration, or a type and an unqualified name.
        case parts(wrapper: XMLName?, [ElementDeclaration])
    }

    package struct Message: Sendable {
        package var name: XMLName
        package var body: Body
        package var headers: [ElementDeclaration]
        /// Whether values have their types beside them (SOAP 1.1 section 5), `use="encoded"`.
        package var isEncoded: Bool
        /// The parts that travel as attachments (`mime:content`), by name.
        package var attachments: [String]
    }

    package struct Fault: Sendable {
        package var name: String
        package var detail: ElementDeclaration
    }

    package var name: String
    package var documentation: String?
    /// `SOAPAction`, or the parameter `action` of SOAP 1.2; empty where the binding names none.
    package var action: String
    package var style: Style
    package var input: Message
    /// `nil` for a one-way operation.
    package var output: Message?
    package var faults: [Fault]
    package var location: SourceLocation
}
