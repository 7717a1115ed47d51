// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLDocuments

extension FaultReader {
    /// The error of the first type whose detail the fault has; the fault itself where none fits.
    ///
    /// A detail that cannot be read as its type says does not hide the fault.
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
