// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import PolicyFile
import WSDLCompiler

extension ServiceDescription {
    /// Finds an operation.
    ///
    /// - Parameters:
    ///   - name: Its name, with its capitals.
    ///   - portName: The name of its port; `nil` takes the first port of the only port type that has the operation.
    /// - Returns: The port and the operation.
    /// - Throws: ``SOAPCommandError``.
    func operation(named name: String, port portName: String?) throws -> (port: Port, operation: Operation) {
        let all = services.flatMap(\.ports)
        let ports = all.filter { portName == nil || $0.name == portName }
        if let portName, ports.isEmpty { throw SOAPCommandError.noPort(portName, all.map(\.name)) }
        let found = ports.compactMap { port in
            port.operations.first { $0.name == name }.map { (port: port, operation: $0) }
        }
        guard let first = found.first else {
            let names = ports.flatMap(\.operations).map(\.name)
            throw SOAPCommandError.noOperation(name, nearest: Spelling.nearest(to: name, among: names))
        }
        guard portName != nil || Set(found.map(\.port.portType)).count == 1 else {
            throw SOAPCommandError.severalPorts(name, found.map(\.port.name))
        }
        return first
    }
}
