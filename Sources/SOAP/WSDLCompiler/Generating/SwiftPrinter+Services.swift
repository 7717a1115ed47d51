// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

extension SwiftPrinter {
    mutating func service(_ service: ServicePlan) {
        source.blank()
        source.comment(service.documentation.paragraphs)
        source.open("\(access)struct \(service.name): SOAPService {")
        source.comment(["The ports of the service."])
        ports(service.ports)
        source.blank()
        source.comment(["The client that sends the messages."])
        source.line("\(access)var client: SOAPClient")
        source.blank()
        source.comment(["Creates a service that uses a client."])
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
            var arguments = [SourceExpression.literal(port.name)]
            if let endpoint = port.endpoint { arguments.append(.labelled("endpoint", .literal(endpoint))) }
            arguments.append(.labelled("version", port.version == .soap12 ? ".soap12" : ".soap11"))
            // swift-format puts no comma after the only element of an array.
            source.statement("", .call("SOAPPort", arguments), ports.count == 1 ? "" : ",")
        }
        source.close("]")
    }

    /// Writes the method that takes the request, or one that takes the request's properties if there are one to eight.
    private mutating func method(_ operation: OperationPlan, takesProperties: Bool) {
        var parameters: [String] = []
        var request = SourceExpression.text("SOAPEmptyBody()")
        if let type = operation.input.type {
            let properties = plan.properties(of: type)
            let typeName = plan.name(of: type)
            if takesProperties {
                guard let properties, (1...8).contains(properties.count) else { return }
                parameters = properties.map { plan.parameter($0, in: nil) }
                request = .call(typeName, properties.map { Self.argument($0.name) })
            } else {
                parameters = ["_ request: \(typeName)" + (properties?.isEmpty == true ? " = \(typeName)()" : "")]
                request = "request"
            }
        } else if takesProperties {
            return
        }
        for header in operation.headers {
            parameters.append("\(SwiftName.label(header.name)): \(plan.name(of: header.type))? = nil")
        }
        let hasResult = operation.output?.type != nil
        let result = operation.output?.type.map { " -> " + plan.name(of: $0) } ?? ""
        source.blank()
        source.comment(operation.documentation.paragraphs)
        let name = SwiftName.escaped(operation.name)
        source.open("\(access)func \(name)(", parameters: parameters, ") async throws\(result) {")
        if takesProperties {
            let others = operation.headers.map { Self.argument($0.name) }
            let call = SourceExpression.call("self.\(name)", [request] + others)
            if source.fits("try await " + call.flat) {
                source.statement("try await ", call)
            } else {
                source.statement("let request = ", request)
                let head = hasResult ? "return try await " : "try await "
                source.statement(head, .call("self.\(name)", ["request"] + others))
            }
        } else {
            call(operation, request: request)
        }
        source.close()
    }

    /// Returns a labelled argument whose value is the variable with the label's name.
    private static func argument(_ name: String) -> SourceExpression {
        .labelled(SwiftName.label(name), .text(SwiftName.escaped(name)))
    }

    private mutating func call(_ operation: OperationPlan, request: SourceExpression) {
        var arguments = ["Operations.\(SwiftName.escaped(operation.name))", request]
        if !operation.headers.isEmpty {
            source.line("var headers: [SOAPHeader] = []")
            for header in operation.headers {
                let name = SwiftName.escaped(header.name)
                source.block(
                    "if let \(name)",
                    .call("headers.append", [.call("SOAPHeader", [expression(header.element), .text(name)])]))
            }
            arguments.append("headers: headers")
        }
        let hasResult = operation.output?.type != nil
        let head = hasResult ? (operation.headers.isEmpty ? "" : "return ") : "_ = "
        source.statement(head + "try await ", .call("client.call", arguments))
    }

    /// Writes the constants that describe the operations.
    private mutating func operations(_ service: ServicePlan) {
        source.open(
            "\(access)enum Operations {",
            comment: "The descriptions of the operations, for calls with more options than the methods have.")
        for operation in service.operations {
            let input = operation.input.type.map { plan.name(of: $0) } ?? "SOAPEmptyBody"
            let output = operation.output?.type.map { plan.name(of: $0) } ?? "SOAPEmptyBody"
            var arguments = [SourceExpression.literal(operation.operation.name)]
            if !operation.operation.action.isEmpty {
                arguments.append(.labelled("action", .literal(operation.operation.action)))
            }
            arguments.append(.labelled("input", operation.input.element.map { expression($0) } ?? "nil"))
            arguments.append(.labelled("output", operation.output?.element.map { expression($0) } ?? "nil"))
            if operation.input.isEncoded { arguments.append("inputEncoding: .soap11") }
            if operation.output?.isEncoded == true { arguments.append("outputEncoding: .soap11") }
            if operation.output == nil { arguments.append("isOneWay: true") }
            if !operation.faults.isEmpty {
                let faults = operation.faults.map { SourceExpression.text(service.faults[$0].name + ".self") }
                arguments.append(.labelled("faults", .array(faults)))
            }
            source.blank()
            source.comment(["The operation `\(operation.operation.name)`."])
            let head = "\(access)static let \(SwiftName.escaped(operation.name)) = SOAPOperation"
            if source.fits("\(head)<\(input), \(output)>(") {
                source.statement(head, .call("<\(input), \(output)>", arguments))
            } else {
                source.generic(head, "\(input), \(output)", arguments)
            }
        }
        source.close()
    }

    private mutating func fault(_ fault: FaultPlan) {
        let detail = plan.name(of: fault.type)
        source.blank()
        source.comment(
            Documentation(
                "The error that is thrown if the service returns the fault `\(fault.faultName)`.",
                text: fault.documentation
            ).paragraphs)
        source.open("\(access)struct \(fault.name): SOAPFaultDetail {")
        source.comment(["The name of the element in the fault's detail."])
        source.block("\(access)static var detailName: XMLName", expression(fault.element))
        source.blank()
        source.comment(["The received fault."])
        source.line("\(access)let fault: SOAPFault")
        source.comment(["The detail of the fault."])
        source.line("\(access)let detail: \(detail)")
        source.open(
            "\(access)init(fault: SOAPFault, detail: \(detail)) {",
            comment: "Creates an error from a fault and its detail.")
        source.line("self.fault = fault")
        source.line("self.detail = detail")
        source.close()
        source.close()
    }
}

extension GenerationPlan {
    /// Returns the properties of a generated struct; `nil` for any other type.
    func properties(of type: SwiftType) -> [Property]? {
        guard case .declared(let number) = type, case .structure(let structure) = declarations[number].kind else {
            return nil
        }
        return structure.properties
    }
}
