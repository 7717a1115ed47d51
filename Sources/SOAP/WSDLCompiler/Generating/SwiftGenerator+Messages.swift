// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The type that is made for what a Body holds.
package struct GeneratedMessage: Sendable {
    /// The port's binding, the operation's place in it and the operation.
    package let binding: XMLName
    package let index: Int
    package let operation: Operation
    package let isResponse: Bool
    /// The Swift type.
    package let type: String
    /// The element in the Body; `nil` where the type's elements stand right in the Body.
    package let element: XMLName?
    package let isEncoded: Bool
}

extension SwiftGenerator {
    /// The types of all requests and responses that are not empty, for programs that use what is made.
    package func messages(of description: ServiceDescription) -> [GeneratedMessage] {
        var planner = Planner(description, enclosure: options.enclosure)
        let plan = planner.plan()
        var messages: [GeneratedMessage] = []
        for service in plan.services {
            for port in service.ports {
                for (index, operation) in service.operations.enumerated() {
                    for (body, isResponse) in [(operation.input, false), (operation.output, true)] {
                        guard let body, let type = body.type else { continue }
                        messages.append(
                            GeneratedMessage(
                                binding: port.binding, index: index, operation: operation.operation,
                                isResponse: isResponse, type: plan.name(of: type), element: body.element,
                                isEncoded: body.isEncoded))
                    }
                }
            }
        }
        return messages
    }
}
