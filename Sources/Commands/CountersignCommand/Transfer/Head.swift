// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign head`: what a GET would be answered with, without the body.
enum Head: TransferKind {
    static let method = HTTPRequest.Method.head
    static let urlHelp = "Absolute URLs of http or https."
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Print the status and the fields that a resource would come with.",
        discussion: """
            They go to where 'get' puts the body.

            Example: countersign head https://intranet.example/report.pdf
            """)
}
