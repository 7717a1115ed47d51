// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign put`: a resource, or its next version.
enum Put: TransferKind {
    static let method = HTTPRequest.Method.put
    static let urlHelp = "Where to put it: absolute URLs of http or https."
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Put a body where a resource is to be.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign put https://intranet.example/report.pdf --data-file report.pdf --user mary
            Example: countersign put https://intranet.example/reports/ -T report.pdf
            """)
}
