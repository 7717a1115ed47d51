// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Countersign
import HTTPTypes

/// What a request carries.
struct BodyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "This text, as a form's fields unless -H says another Content-Type.",
            discussion: "It is sent as it stands: no @, no encoding.", valueName: "text"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "What is in this file, or with '-' what comes from standard input.",
            discussion: """
                Standard input is read once, while it is sent: the server is asked first (Expect: 100-continue), and a \
                challenge after that is an error. A file is sent as often as it takes.
                """, valueName: "file"))
    var dataFile: String?

    @Option(
        help: ArgumentHelp(
            "This JSON, or that of @FILE; it is checked, and sent as application/json.", valueName: "text|@file"))
    var jsonBody: String?

    /// A body, and the type that it has unless another one is said.
    struct Content {
        let body: RequestBody
        let type: String
    }

    /// - Returns: `nil` where nothing was given.
    /// - Throws: ``UsageError``, ``FileError``.
    func content() throws -> Content? {
        let given = [("--data", data != nil), ("--data-file", dataFile != nil), ("--json-body", jsonBody != nil)]
            .filter(\.1).map(\.0)
        guard given.count < 2 else { throw UsageError.contradiction(given[0], given[1]) }
        if let data {
            return Content(body: .bytes(Array(data.utf8)), type: "application/x-www-form-urlencoded")
        }
        if let dataFile {
            return Content(body: try InputBody.body(dataFile), type: "application/octet-stream")
        }
        return try jsonBody.map { Content(body: .bytes(try JSONText.read($0)), type: "application/json") }
    }
}
