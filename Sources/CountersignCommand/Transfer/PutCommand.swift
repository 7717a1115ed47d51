// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign put`: a resource, or its next version.
struct PutCommand: TransferCommand {
    static let method = HTTPRequest.Method.put
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Put a body where a resource is to be.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign put https://intranet.example/report.pdf --data-file report.pdf --user mary
            Example: countersign put https://intranet.example/reports/ -T report.pdf
            """)

    @Argument(help: ArgumentHelp("Where to put it: absolute URLs of http or https.", valueName: "url"))
    var urls: [String]

    @OptionGroup(title: "Body")
    var body: BodyOptions

    @OptionGroup
    var options: TransferOptions
}
