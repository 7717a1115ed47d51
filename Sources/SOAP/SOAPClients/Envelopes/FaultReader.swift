// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLDocuments

/// Reads the Fault element of a Body.
///
/// Only local names are compared, because SOAP 1.1 services use different namespaces.
package struct FaultReader {
    let element: XMLElement
    let tree: XMLTree
    let version: SOAPVersion

    /// The `detail` element, or `Detail` in SOAP 1.2.
    var detail: XMLElement? { child(version == .soap11 ? "detail" : "Detail") }

    /// Reads the fault.
    package func fault() throws(SOAPClientError) -> SOAPFault {
        switch version {
        case .soap11: try fault11()
        case .soap12: try fault12()
        }
    }

    /// Reads a SOAP 1.1 fault (section 4.4), whose parts have no namespace or, with some services,
    /// the envelope's namespace.
    private func fault11() throws(SOAPClientError) -> SOAPFault {
        guard let code = child("faultcode") else { throw .malformedEnvelope(.incompleteFault) }
        return SOAPFault(
            version: version, code: SOAPFaultCode(qualifiedName(in: code), in: version),
            reasons: [reason(child("faultstring"))], role: child("faultactor")?.trimmedText, details: try detailValues()
        )
    }

    /// Reads a SOAP 1.2 fault (Part 1 section 5.4).
    private func fault12() throws(SOAPClientError) -> SOAPFault {
        guard let code = child("Code"), let value = code.child(version.name("Value")) else {
            throw .malformedEnvelope(.incompleteFault)
        }
        var subcodes: [XMLName] = []
        var next = code.child(version.name("Subcode"))
        while let subcode = next, let value = subcode.child(version.name("Value")) {
            subcodes.append(qualifiedName(in: value))
            next = subcode.child(version.name("Subcode"))
        }
        let texts = child("Reason")?.children.filter { $0.name == version.name("Text") } ?? []
        return SOAPFault(
            version: version, code: SOAPFaultCode(qualifiedName(in: value), in: version), subcodes: subcodes,
            reasons: texts.isEmpty ? [SOAPFault.Reason("")] : texts.map(reason), role: child("Role")?.trimmedText,
            node: child("Node")?.trimmedText, details: try detailValues())
    }

    private func child(_ local: String) -> XMLElement? { element.children.first { $0.name.local == local } }

    private func reason(_ element: XMLElement?) -> SOAPFault.Reason {
        let language = element?[XMLName("lang", in: "http://www.w3.org/XML/1998/namespace")]
        return SOAPFault.Reason(element?.trimmedText ?? "", language: language)
    }

    /// Returns a qualified name; an undeclared prefix remains part of the local name.
    private func qualifiedName(in element: XMLElement) -> XMLName {
        let parts = element.trimmedText.split(separator: ":", maxSplits: 1)
        let prefix = parts.count == 2 ? parts.first.map(String.init) ?? "" : ""
        guard let namespace = element.namespaces[prefix], let local = parts.last else {
            return XMLName(element.trimmedText)
        }
        return XMLName(String(local), in: namespace)
    }

    private func detailValues() throws(SOAPClientError) -> [XMLElementValue] {
        do throws(XMLValueError) {
            guard let detail else { return [] }
            var reader = try XMLReader(detail, of: tree, options: .lenient)
            return try reader.anys(.any)
        } catch {
            throw .unreadable(operation: "Fault", error)
        }
    }
}

extension XMLElement {
    /// The texts of the element and its descendants, without leading and trailing white space.
    var trimmedText: String {
        let text = allText
        return String(text.trimmingPrefix { $0.isWhitespace }.reversed().trimmingPrefix { $0.isWhitespace }.reversed())
    }
}

extension FaultReader {
    /// Returns the error for the first detail of the fault that has one of the types, or else the fault itself.
    ///
    /// A detail that is not valid for its type is skipped.
    func error(of types: [any SOAPFaultDetail.Type], options: XMLReadingOptions) throws(SOAPClientError) -> any Error {
        let fault = try fault()
        for element in detail?.children ?? [] {
            let name = element.name
            for type in types where type.detailName == name {
                if let error = make(type, fault, element, options) { return error }
            }
        }
        return fault
    }

    private func make<Value: SOAPFaultDetail>(
        _ type: Value.Type, _ fault: SOAPFault, _ element: XMLElement, _ options: XMLReadingOptions
    ) -> (any Error)? {
        do throws(XMLValueError) {
            var reader = try XMLReader(
                element, of: tree, options: options, references: try XMLReferences(in: tree))
            let detail = try Value.Detail(from: &reader)
            try reader.finish()
            return Value(fault: fault, detail: detail)
        } catch {
            return nil
        }
    }
}
