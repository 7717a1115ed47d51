// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import KeychainService
import SOAPClients
import WSDLCompiler
import WSSecurity
import XMLDocuments
import XMLEncryption
import XMLSignature
import XMLValues

/// The program `countersign-soap`, which `countersign soap` runs.
@main
struct SOAPProgram: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "countersign soap",
        abstract: "Call SOAP services, and generate Swift code from their descriptions.",
        discussion: """
            A service is described in WSDL 1.1, in a file or at a URL. Exit status: 0 done; 1 the operation failed, or the \
            service returned a fault; 2 usage; 3 not trusted; 4 not authenticated.

            Example: countersign soap generate bank.wsdl -o Sources/Bank
            """,
        version: CommandVersion.withTraits,
        subcommands: [
            GenerateCommand.self, DescribeCommand.self, CallCommand.self, SignCommand.self, VerifyCommand.self,
            ExplainCommand<SOAPProgram>.self,
        ])

    static let errors = ErrorCatalog(
        [
            XMLDocumentError.self, XMLValueError.self, WSDLCompilerError.self, SOAPClientError.self, SOAPFault.self,
            MultipartError.self, XMLSignatureError.self, XMLEncryptionError.self, WSSecurityError.self,
            SOAPCommandError.self,
        ],
        options: .common + .keychain + [
            "soap.not-authenticated": ["--user NAME", "--password-file FILE", "--bearer-file FILE", "--identity FILE"]
        ])

    static func main() async { await start() }
}

/// An error of `countersign soap`.
enum SOAPCommandError: Error, Hashable {
    /// A file that the command did not generate has the name of a generated file.
    case foreignFile(path: String)
    /// The description has no operation with this name.
    case noOperation(String, nearest: String?)
    /// Several ports have the operation, in different forms. Holds the operation and the names of the ports.
    case severalPorts(String, [String])
    /// The description has no port with this name. Holds the name, and the names of the existing ports.
    case noPort(String, [String])
    /// Neither the description nor the command line contains the service's URL.
    case noEndpoint
    /// A fetched description names a service of another origin. Holds the service's URL.
    case foreignEndpoint(String)
    /// The response does not follow the description.
    case unreadableResponse(WSDLCompilerError)
}

extension SOAPCommandError: CataloguedError {
    var explanation: ErrorExplanation {
        switch self {
        case .foreignFile(let path):
            ErrorExplanation(
                "soap-command.foreign-file", "\(path) exists already, and this command did not generate it.",
                reason: "Replacing it would lose its contents. Nothing was written.",
                advice: "Name another folder with --output, or replace the file with --force.")
        case .noOperation(let name, let nearest):
            ErrorExplanation(
                "soap-command.no-operation", "The service has no operation \"\(name)\".",
                reason: "Operations are named as in the description, with their capitals.",
                advice: nearest.map { "Did you mean \($0)?" } ?? "List them with 'countersign soap describe'.")
        case .severalPorts(let operation, let ports):
            ErrorExplanation(
                "soap-command.several-ports",
                "Several services have the operation \"\(operation)\": \(ports.joined(separator: ", ")).",
                reason: "It is not clear which of them is meant.", advice: "Name one of them with --port.")
        case .noPort(let name, let ports):
            ErrorExplanation(
                "soap-command.no-port",
                "The description has no port \"\(name)\"; it has \(ports.isEmpty ? "none" : ports.joined(separator: ", ")).",
                reason: "A port is an address at which a service is reached.",
                advice: "Name one of those with --port, or leave the option out.")
        case .noEndpoint:
            ErrorExplanation(
                "soap-command.no-endpoint", "The description does not say at which URL the service is.",
                reason: "Its port has no address, or there is no port.", advice: "Give the URL with --endpoint.")
        case .foreignEndpoint(let url):
            ErrorExplanation(
                "soap-command.foreign-endpoint",
                "The description says that the service is at \(url), which is another origin.",
                reason: "The server of the description would choose who gets the credentials. Nothing was sent.",
                advice: "If the service is there, name it with --endpoint.")
        case .unreadableResponse(let error):
            ErrorExplanation(
                "soap-command.unreadable-response",
                "The response does not follow the description: \(error.explanation.message)",
                reason: error.explanation.reason,
                advice: "Read it with --lenient, which reports the ignored problems, or print it with --xml.")
        }
    }

    static var examples: [SOAPCommandError] {
        [
            .foreignFile(path: "Sources/Bank/Bank.swift"), .noOperation("balance", nearest: "Balance"),
            .severalPorts("Balance", ["AccountPort", "AuditPort"]), .noPort("Account", ["AccountPort"]), .noEndpoint,
            .foreignEndpoint("https://other.example/accounts"),
            .unreadableResponse(.value(path: "$.amount", .missing(name: "@currency"))),
        ]
    }
}
