// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

extension SwiftPrinter {
    mutating func service(_ service: ServicePlan) {
        source.blank()
        source.comment(service.documentation.paragraphs)
        source.open("\(access)struct \(service.name): SOAPService {")
        source.comment(["The places where the service is offered."])
        ports(service.ports)
        source.blank()
        source.comment(["What sends the messages."])
        source.line("\(access)var client: SOAPClient")
        source.blank()
        source.comment(["A service that is called through a client."])
        source.line("\(access)init(client: SOAPClient) { self.client = client }")
        for operation in service.operations {
            method(operation, takesProperties: false)
            method(operation, takesProperties: true)
        }
        operations(service)
        for fault in service.faults { self.fault(fault) }
        source.close()
    }

    private mutating func ports(_ ports: [Port]) {
        guard !ports.isEmpty else { return source.line("\(access)static let ports: [SOAPPort] = []") }
        source.open("\(access)static let ports: [SOAPPort] = [")
        for port in ports {
            var arguments = [SourceText.literal(port.name)]
            if let endpoint = port.endpoint { arguments.append("endpoint: \(SourceText.literal(endpoint))") }
            arguments.append("version: \(port.version == .soap12 ? ".soap12" : ".soap11")")
            source.list("SOAPPort(", arguments, "),")
        }
        source.close("]")
    }

    /// A method that takes the request, or one that takes its properties where these are one to eight.
    private mutating func method(_ operation: OperationPlan, takesProperties: Bool) {
        var parameters: [String] = []
        var request = "SOAPNothing()"
        if let type = operation.input.type {
            let properties = plan.properties(of: type)
            let typeName = plan.name(of: type)
            if takesProperties {
                guard let properties, (1...8).contains(properties.count) else { return }
                parameters = properties.map { plan.parameter($0, in: nil) }
                let arguments = properties.map { "\(SwiftName.escaped($0.name)): \(SwiftName.escaped($0.name))" }
                request = "\(typeName)(\(arguments.joined(separator: ", ")))"
            } else {
                parameters = ["_ request: \(typeName)" + (properties?.isEmpty == true ? " = \(typeName)()" : "")]
                request = "request"
            }
        } else if takesProperties {
            return
        }
        for header in operation.headers {
            parameters.append("\(SwiftName.escaped(header.name)): \(plan.name(of: header.type))? = nil")
        }
        let result = operation.output?.type.map { " -> " + plan.name(of: $0) } ?? ""
        source.blank()
        source.comment(operation.documentation.paragraphs)
        let name = SwiftName.escaped(operation.name)
        source.list("\(access)func \(name)(", parameters, ") async throws\(result) {", opens: true)
        if takesProperties {
            var arguments = [request]
            for header in operation.headers {
                arguments.append("\(SwiftName.escaped(header.name)): \(SwiftName.escaped(header.name))")
            }
            source.list("try await self.\(name)(", arguments, ")")
        } else {
            call(operation, request: request)
        }
        source.close()
    }

    private mutating func call(_ operation: OperationPlan, request: String) {
        var arguments = ["Operations.\(SwiftName.escaped(operation.name))", request]
        if !operation.headers.isEmpty {
            source.line("var headers: [SOAPHeader] = []")
            for header in operation.headers {
                let name = SwiftName.escaped(header.name)
                source.block(
                    "if let \(name)", "headers.append(SOAPHeader(\(expression(header.element)), \(name)))")
            }
            arguments.append("headers: headers")
        }
        let hasResult = operation.output?.type != nil
        let prefix = hasResult ? (operation.headers.isEmpty ? "" : "return ") : "_ = "
        source.list("\(prefix)try await client.call(", arguments, ")")
    }

    /// The constants that describe the operations.
    private mutating func operations(_ service: ServicePlan) {
        source.blank()
        source.comment(["What is known of each operation, for calls that need more than its method."])
        source.open("\(access)enum Operations {")
        for operation in service.operations {
            let input = operation.input.type.map { plan.name(of: $0) } ?? "SOAPNothing"
            let output = operation.output?.type.map { plan.name(of: $0) } ?? "SOAPNothing"
            var arguments = [SourceText.literal(operation.operation.name)]
            if !operation.operation.action.isEmpty {
                arguments.append("action: \(SourceText.literal(operation.operation.action))")
            }
            arguments.append("input: " + (operation.input.element.map { expression($0) } ?? "nil"))
            arguments.append("output: " + (operation.output?.element.map { expression($0) } ?? "nil"))
            if operation.input.isEncoded { arguments.append("inputEncoding: .soap11") }
            if operation.output?.isEncoded == true { arguments.append("outputEncoding: .soap11") }
            if operation.output == nil { arguments.append("isOneWay: true") }
            if !operation.faults.isEmpty {
                let faults = operation.faults.map { service.faults[$0].name + ".self" }
                arguments.append("faults: [\(faults.joined(separator: ", "))]")
            }
            source.blank()
            source.comment(["The operation `\(operation.operation.name)`."])
            let name = SwiftName.escaped(operation.name)
            source.list(
                "\(access)static let \(name) = SOAPOperation<\(input), \(output)>(", arguments, ")")
        }
        source.close()
    }

    private mutating func fault(_ fault: FaultPlan) {
        let detail = plan.name(of: fault.type)
        source.blank()
        source.comment(
            Documentation(
                "Thrown where the service answers with the fault `\(fault.original)`.", text: fault.documentation
            ).paragraphs)
        source.open("\(access)struct \(fault.name): SOAPFaultDetail {")
        source.comment(["The name of the element in the fault's detail."])
        source.block("\(access)static var detailName: XMLName", expression(fault.element))
        source.blank()
        source.comment(["The fault as it came."])
        source.line("\(access)let fault: SOAPFault")
        source.comment(["What the service says about it."])
        source.line("\(access)let detail: \(detail)")
        source.blank()
        source.comment(["A fault and its detail."])
        source.open("\(access)init(fault: SOAPFault, detail: \(detail)) {")
        source.line("self.fault = fault")
        source.line("self.detail = detail")
        source.close()
        source.close()
    }
}

extension GenerationPlan {
    /// The properties of a struct that an element's content is; `nil` for any other type.
    func properties(of type: SwiftType) -> [Property]? {
        guard case .declared(let number) = type, case .structure(let structure) = declarations[number].kind else { return nil }
        return structure.properties
    }
}
