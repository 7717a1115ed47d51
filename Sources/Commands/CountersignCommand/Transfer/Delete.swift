// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign delete`: a resource less.
enum Delete: TransferKind {
    static let method = HTTPRequest.Method.delete
    static let urlHelp = "What to delete: absolute URLs of http or https."
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a resource.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign delete https://intranet.example/orders/7 --user mary
            """)
}
