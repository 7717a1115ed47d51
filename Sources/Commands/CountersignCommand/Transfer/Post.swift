// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign post`: something for a resource to work on.
enum Post: TransferKind {
    static let method = HTTPRequest.Method.post
    static let urlHelp = "Where to post: absolute URLs of http or https."
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Post a body to a resource.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign post https://intranet.example/search --data "q=report&year=2026"
            Example: countersign post https://intranet.example/orders --json-body @order.json --user mary
            Example: tar c photos | countersign post https://intranet.example/backup --data-file -
            """)
}
