// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import SOAPClient

/// Prints the messages of `-v` on standard error, without their secrets.
struct MessagePrinter: SOAPInterceptor {
    let console: Console
    private let redaction = SOAPRedaction()

    init(console: Console) { self.console = console }

    func sending(_ request: SOAPMessage, for call: SOAPCall) async {
        console.complain("> \(call.operation) to \(Redaction.url(call.endpoint))")
        console.complain(redaction.text(of: request.envelope))
    }

    func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {
        console.complain("< \(response.status?.code.description ?? "")")
        console.complain(redaction.text(of: response.envelope))
    }
}

/// Prints a request in place of sending it.
struct DryRun: Client, SOAPInterceptor {
    /// Ends the call.
    struct NothingSent: Error {}

    let console: Console

    func sending(_ request: SOAPMessage, for call: SOAPCall) async {
        try? console.print(request.text)
    }

    func send(_ request: Request) async throws -> Response { throw NothingSent() }
}
