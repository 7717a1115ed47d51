// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import SOAPClient
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
        abstract: "Call SOAP services, and make Swift of their descriptions.",
        discussion: """
            A service is described in WSDL 1.1, in a file or at a URL. Exit status: 0 done; 1 the operation failed, or the \
            service returned a fault; 2 usage; 3 not trusted; 4 not authenticated.

            Example: countersign soap generate bank.wsdl -o Sources/Bank
            """,
        version: CommandVersion.current,
        subcommands: [
            GenerateCommand.self, DescribeCommand.self, CallCommand.self, SignCommand.self, VerifyCommand.self,
            ExplainCommand<SOAPProgram>.self,
        ])

    static let errors = ErrorCatalog([
        XMLDocumentError.self, XMLValueError.self, WSDLCompilerError.self, SOAPClientError.self, SOAPFault.self,
        MultipartFlaw.self,
        XMLSignatureError.self, XMLEncryptionError.self, WSSecurityError.self, SOAPCommandError.self,
    ])

    static func main() async { await start() }
}
