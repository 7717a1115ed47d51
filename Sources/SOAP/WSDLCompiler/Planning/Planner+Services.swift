// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

extension Planner {
    /// Plans a struct for each service, or for each port type of a service with several.
    mutating func planServices() -> [ServicePlan] {
        var plans: [ServicePlan] = []
        for service in description.services {
            let groups = Self.groups(of: service.ports)
            let portTypes = Set(groups.map { $0[0].portType })
            for group in groups {
                let port = group[0]
                let base =
                    groups.count == 1
                    ? service.name.local
                    : portTypes.count == groups.count ? port.portType.local : port.binding.local
                let name = SwiftName.type(base)
                var plan = ServicePlan(
                    name: names.claim(name, or: name.hasSuffix("Service") ? name + "Client" : name + "Service"),
                    namespace: service.name.namespace,
                    documentation: Documentation(
                        "The service `\(service.name.local)`.", text: service.documentation ?? description.documentation
                    ),
                    ports: group, operations: [], faults: [])
                planOperations(of: port, in: &plan)
                plans.append(plan)
            }
        }
        return plans
    }

    /// Groups the ports of one port type that offer the same operations with the same messages.
    private static func groups(of ports: [Port]) -> [[Port]] {
        var groups: [[Port]] = []
        var indices: [String: Int] = [:]
        for port in ports {
            var key = port.portType.description
            for operation in port.operations {
                key +=
                    "|\(operation.name) \(operation.style) \(operation.action) \(operation.input.typeKey) \(operation.output?.typeKey ?? "")"
            }
            if let index = indices[key] {
                groups[index].append(port)
            } else {
                indices[key] = groups.count
                groups.append([port])
            }
        }
        return groups
    }

    private mutating func planOperations(of port: Port, in plan: inout ServicePlan) {
        var methods = NameScope(reserved: ReservedNames.serviceMembers, constantNames)
        for operation in port.operations {
            let name = SwiftName.member(operation.name)
            let base = SwiftName.type(operation.name)
            let input = body(
                of: operation.input, name: base + "Request", summary: "The request of `\(operation.name)`.")
            let output = operation.output.map {
                body(of: $0, name: base + "Response", summary: "The response of `\(operation.name)`.")
            }
            var documentation = Documentation("The operation `\(operation.name)`.", text: operation.documentation)
            if !operation.input.attachments.isEmpty {
                documentation.note =
                    "Parts sent as attachments: \(operation.input.attachments.joined(separator: ", "))."
            }
            plan.operations.append(
                OperationPlan(
                    name: methods.claim(name, or: name + "Operation"), operation: operation,
                    documentation: documentation, input: input, output: output,
                    headers: headers(of: operation.input, request: input)))
        }
        // Fault types are nested in the service, and have names that no top-level type has.
        var scope = NameScope(reserved: names.scope.names, ReservedNames.types)
        var indices: [String: Int] = [:]
        for index in plan.operations.indices {
            for fault in plan.operations[index].operation.faults {
                let key = "\(fault.name) \(fault.detail.name)"
                if indices[key] == nil {
                    let name = SwiftName.type(fault.name)
                    indices[key] = plan.faults.count
                    plan.faults.append(
                        FaultPlan(
                            name: scope.claim(name, or: name.hasSuffix("Fault") ? name + "Error" : name + "Fault"),
                            faultName: fault.name, element: fault.detail.name, type: globalType(of: fault.detail),
                            documentation: fault.detail.documentation))
                }
                if let found = indices[key], !plan.operations[index].faults.contains(found) {
                    plan.operations[index].faults.append(found)
                }
            }
        }
    }

    private mutating func body(of message: Operation.Message, name: String, summary: String) -> OperationPlan.Body {
        switch message.body {
        case .empty: return .init(type: nil, element: nil, isEncoded: message.isEncoded)
        case .element(let element):
            return .init(type: globalType(of: element), element: element.name, isEncoded: message.isEncoded)
        case .parts(let wrapper, let parts):
            let number = messageStructure(message, wrapper: wrapper, parts, name: name, summary: summary)
            return .init(type: .declared(number), element: wrapper, isEncoded: message.isEncoded)
        }
    }

    /// Returns the type of an element of a Body, a header or a fault's detail.
    private mutating func globalType(of element: ElementDeclaration) -> SwiftType {
        if element.type.isAnonymous, let number = elementNumbers[element.name] { return .declared(number) }
        guard !element.type.isAnonymous else { return .anyValue }
        return swiftType(element.type, name: "", in: 0, isElement: true)
    }

    /// Declares the struct whose properties are the parts of a message.
    private mutating func messageStructure(
        _ message: Operation.Message, wrapper: XMLName?, _ parts: [ElementDeclaration], name: String, summary: String
    ) -> Int {
        let key = "\(message.name) \(message.typeKey)"
        if let number = messageNumbers[key] { return number }
        let number = declareGlobal(
            names.claim(name, or: name + "Message"), in: message.name, xmlType: nil, summary)
        messageNumbers[key] = number
        var builder = StructureBuilder(number: number, names: memberScope(reserved: ReservedNames.members))
        for part in parts { add(Particle(term: .element(part)), to: &builder) }
        // SOAP-encoded parts are identified by name, not by position.
        if message.isEncoded, parts.count > 1 { builder.members = [.beginAll] + builder.members + [.endAll] }
        declarations[number].kind = .structure(
            Structure(role: wrapper == nil ? .bodyParts : .element, members: builder.members))
        return number
    }

    private mutating func headers(of message: Operation.Message, request: OperationPlan.Body) -> [OperationPlan.Header]
    {
        var scope = memberScope(reserved: ["client", "headers", "request"])
        if case .declared(let number)? = request.type, case .structure(let structure) = declarations[number].kind {
            for property in structure.properties { scope.reserve(property.name) }
        }
        return message.headers.map { header in
            let name = SwiftName.member(header.name.local)
            return OperationPlan.Header(
                name: scope.claim(name, or: name + "Header"), element: header.name, type: globalType(of: header))
        }
    }
}

extension Operation.Message {
    /// A key that distinguishes messages with different types.
    fileprivate var typeKey: String {
        let use = isEncoded ? "encoded" : "literal"
        let headers = headers.map(\.name.description).joined(separator: ",")
        return switch body {
        case .empty: "\(use) \(headers)"
        case .element(let element): "\(use) \(element.name) \(headers)"
        case .parts(let wrapper, let parts):
            "\(use) \(wrapper?.description ?? "-") \(parts.map(\.name.description).joined(separator: ",")) \(headers)"
        }
    }
}

/// A plan for the struct of a service.
struct ServicePlan {
    var name: String
    /// The namespace whose file declares the struct.
    var namespace: String
    var documentation: Documentation
    var ports: [Port]
    var operations: [OperationPlan]
    var faults: [FaultPlan]
}

/// A plan for an operation's methods and its description.
struct OperationPlan {
    /// The content of a Body.
    struct Body {
        /// The Swift type; `nil` for an empty Body.
        var type: SwiftType?
        /// The name of the element around the parts; `nil` if there is none, or for an empty Body.
        var element: XMLName?
        var isEncoded: Bool
    }

    struct Header {
        /// The parameter's name.
        var name: String
        var element: XMLName
        var type: SwiftType
    }

    /// The method's name.
    var name: String
    var operation: Operation
    var documentation: Documentation
    var input: Body
    /// The response; `nil` for a one-way operation.
    var output: Body?
    /// The operation's faults, as indices in ``ServicePlan/faults``.
    var faults: [Int] = []
    var headers: [Header]
}

/// A plan for an error that a service's operations throw.
struct FaultPlan {
    var name: String
    /// The fault's name in the description.
    var faultName: String
    var element: XMLName
    var type: SwiftType
    var documentation: String?
}
