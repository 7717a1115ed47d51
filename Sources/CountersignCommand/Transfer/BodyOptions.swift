// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Countersign
import HTTPTypes

/// What a request carries.
struct BodyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "This text, as a form's fields unless -H says another Content-Type; repeatable.",
            discussion: "It is sent as it stands: no @, no encoding. Several are joined with '&'.", valueName: "text"))
    var data: [String] = []

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

    @Option(
        help: ArgumentHelp(
            "A part of a form: name=value, or name=@file; repeatable.",
            discussion: "';type=text/csv' at its end says the type of the part.", valueName: "part"),
        transform: FormOption.init)
    var form: [FormOption] = []

    /// - Returns: `nil` where nothing was given.
    /// - Throws: ``UsageError``, ``FileError``, ``SessionError/fileFailed(path:_:code:)``.
    func content() throws -> RequestBody? {
        let options = [
            ("--data", !data.isEmpty), ("--data-file", dataFile != nil), ("--json-body", jsonBody != nil),
            ("--form", !form.isEmpty),
        ]
        let given = options.filter(\.1).map(\.0)
        guard given.count < 2 else { throw UsageError.contradiction(given[0], given[1]) }
        if !data.isEmpty {
            return Self.body(.bytes(Array(data.joined(separator: "&").utf8)), "application/x-www-form-urlencoded")
        }
        if let jsonBody { return Self.body(.bytes(try JSONText.read(jsonBody)), "application/json") }
        if let dataFile {
            return Self.body(dataFile == "-" ? Self.standardInput : try .file(dataFile), "application/octet-stream")
        }
        return form.isEmpty ? nil : .multipart(try form.map { (part) throws in try part.part() })
    }

    private static func body(_ body: RequestBody, _ type: String) -> RequestBody {
        var body = body
        body.contentType = type
        return body
    }

    /// Read once, from where it is on.
    private static var standardInput: RequestBody {
        let input = InputDescriptor.standard
        return .oneShot(length: input.remainingLength, InputParts(input))
    }
}
