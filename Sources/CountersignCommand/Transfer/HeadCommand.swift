// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign head`: what a GET would be answered with, without the body.
struct HeadCommand: TransferCommand {
    static let method = HTTPRequest.Method.head
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Print the status and the fields that a resource would come with.",
        discussion: """
            They go to where 'get' puts the body.

            Example: countersign head https://intranet.example/report.pdf
            """)

    @Argument(help: ArgumentHelp("Absolute URLs of http or https.", valueName: "url"))
    var urls: [String]

    @OptionGroup(title: "Body")
    var body: BodyOptions

    @OptionGroup
    var options: TransferOptions
}
