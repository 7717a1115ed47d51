// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign patch`: changes to a resource.
enum Patch: TransferKind {
    static let method = HTTPRequest.Method.patch
    static let urlHelp = "What to patch: absolute URLs of http or https."
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Patch a resource with a body.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign patch https://intranet.example/orders/7 --json-body '{"state": "sent"}'
            """)
}
