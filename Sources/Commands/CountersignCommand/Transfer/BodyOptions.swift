// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import Encodings
import HTTPTypes
import NIOConcurrencyHelpers

/// The options for the body of a request.
struct BodyOptions: ParsableArguments {
    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data"), .customLong("data-ascii")],
        help: ArgumentHelp(
            "This text, or that of @FILE without its line breaks, as a form's fields; repeatable.",
            discussion: """
                Several --data, --data-raw, --data-binary and --data-urlencode are joined with '&' in their order. @- is \
                standard input.
                """, valueName: "text|@file"), transform: DataOption.data)
    var data: [DataOption] = []

    @Option(
        help: ArgumentHelp("This text, even if it begins with '@'; repeatable.", valueName: "text"),
        transform: DataOption.raw)
    var dataRaw: [DataOption] = []

    @Option(
        help: ArgumentHelp("This text, or that of @FILE byte for byte; repeatable.", valueName: "text|@file"),
        transform: DataOption.binary)
    var dataBinary: [DataOption] = []

    @Option(
        name: .customLong("data-urlencode"),
        help: ArgumentHelp(
            "NAME=TEXT or NAME@FILE, of which everything except the name is percent-encoded; repeatable.",
            valueName: "name=text"),
        transform: DataOption.encoded)
    var dataEncoded: [DataOption] = []

    @Option(
        help: ArgumentHelp(
            "The contents of this file, or with '-' of standard input, as application/octet-stream.",
            discussion: """
                Standard input is read once, while it is sent: the server is asked first (Expect: 100-continue), and a \
                challenge after that is an error. A file is read again whenever it has to be sent again.
                """, valueName: "file"))
    var dataFile: String?

    @Option(
        name: [.customShort("T", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Like --data-file, without a Content-Type; the file's name is added to a URL that ends in '/'.",
            valueName: "file"))
    var uploadFile: String?

    @Option(
        help: ArgumentHelp(
            "This JSON, or that of @FILE; it is checked, and sent as application/json.", valueName: "text|@file"))
    var jsonBody: String?

    @Option(
        name: [.customShort("F", allowingJoined: true), .long],
        help: ArgumentHelp(
            "A part of a form: name=value, or name=@file; repeatable.",
            discussion: "';type=text/csv' at its end names the type of the part.", valueName: "part"),
        transform: FormOption.init)
    var form: [FormOption] = []

    @Option(
        help: ArgumentHelp("A part of a form whose value is always text; repeatable.", valueName: "name=text"),
        transform: FormOption.text)
    var formString: [FormOption] = []

    @Flag(
        name: [.customShort("G"), .customLong("get")],
        help: "Put the values of --data and related options into the URL's query instead of a body.")
    var goesIntoQuery = false

    /// The names of the given options that supply a body.
    var given: [String] {
        let options = [
            ("--data", !dataParts.isEmpty), ("--data-file", dataFile != nil), ("--upload-file", uploadFile != nil),
            ("--json-body", jsonBody != nil), ("--form", !formParts.isEmpty),
        ]
        return options.filter(\.1).map(\.0)
    }

    private var dataParts: [DataOption] {
        (data + dataRaw + dataBinary + dataEncoded).sorted { $0.position < $1.position }
    }

    private var formParts: [FormOption] { (form + formString).sorted { $0.position < $1.position } }

    /// The name of the option that reads standard input; `nil` if there is none.
    var readerOfStandardInput: String? {
        if dataFile == "-" { return "--data-file -" }
        if uploadFile == "-" { return "--upload-file -" }
        return dataParts.contains(where: \.readsStandardInput) ? "--data @-" : nil
    }

    func checkContradictions() throws(UsageError) {
        let given = given
        guard given.count < 2 else { throw .contradiction(given[0], given[1]) }
        guard goesIntoQuery else { return }
        guard let option = given.first else { throw .useless("--get", without: "--data") }
        if option != "--data" { throw .contradiction("--get", option) }
    }

    /// Returns the text that `--get` adds to the URL's query, or `nil` without `--get`.
    ///
    /// - Throws: ``FileError``.
    func query() throws -> String? {
        goesIntoQuery ? String(decoding: try joinedData(), as: UTF8.self) : nil
    }

    /// - Returns: The body, or `nil` if the request has none.
    /// - Throws: ``UsageError``, ``FileError``, ``FileError/failed(path:_:code:)``.
    func content() throws -> SessionRequestBody? {
        if goesIntoQuery { return nil }
        if !dataParts.isEmpty { return try dataBody().typed("application/x-www-form-urlencoded") }
        if let jsonBody { return SessionRequestBody.bytes(try JSONText.read(jsonBody)).typed("application/json") }
        if let dataFile { return try Self.file(dataFile).typed("application/octet-stream") }
        if let uploadFile { return try Self.file(uploadFile) }
        return formParts.isEmpty ? nil : .multipart(try formParts.map { try $0.part() })
    }

    /// Returns the body of the `--data` options; a single file may have any size, because it is read while it is sent.
    private func dataBody() throws -> SessionRequestBody {
        if dataParts.count == 1, case .binaryFile(let path) = dataParts[0].content { return try Self.file(path) }
        return .bytes(try joinedData())
    }

    private func joinedData() throws -> [UInt8] {
        Array(try dataParts.map { try $0.bytes() }.joined(separator: [UInt8(ascii: "&")]))
    }

    private static func file(_ path: String) throws -> SessionRequestBody {
        guard path == "-" else { return try .input(path) }
        let input = InputDescriptor.standard
        return .oneShot(length: input.remainingLength, InputParts(input))
    }
}

extension SessionRequestBody {
    fileprivate func typed(_ type: String) -> SessionRequestBody {
        var body = self
        body.contentType = type
        return body
    }
}

/// One part of a form: `name=value` or `name=@file`, with an optional type after `;type=`.
struct FormOption: Sendable {
    enum Content: Hashable, Sendable {
        case text(String)
        case file(String)
    }

    let position = ArgumentPosition.next()
    let name: String
    let content: Content
    let type: String?

    init(_ text: String) throws(WrongValue) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw WrongValue("write it as name=value or name=@file; ';type=text/csv' at its end says the type")
        }
        name = String(text[..<equals])
        var value = text[text.index(after: equals)...]
        if let mark = value.ranges(of: ";type=").last {
            type = String(value[mark.upperBound...])
            value = value[..<mark.lowerBound]
        } else {
            type = nil
        }
        content = value.first == "@" ? .file(String(value.dropFirst())) : .text(String(value))
    }

    private init(name: String, text: String) {
        (self.name, content, type) = (name, .text(text), nil)
    }

    /// Parses the value of `--form-string`, which is never a file and has no type.
    static func text(_ text: String) throws(WrongValue) -> FormOption {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw WrongValue("write it as name=text")
        }
        return FormOption(name: String(text[..<equals]), text: String(text[text.index(after: equals)...]))
    }

    /// - Throws: ``FileError``, ``FileError/failed(path:_:code:)``.
    func part() throws -> FormPart {
        switch content {
        case .text(let text):
            FormPart(name: name, body: .bytes(Array(text.utf8)), contentType: type)
        case .file(let path):
            FormPart(
                name: name, body: try .input(path), fileName: path.split(separator: "/").last.map(String.init) ?? path,
                contentType: type)
        }
    }
}

/// Numbers the values of options in the order of the command line, in which they are parsed.
///
/// ArgumentParser keeps only the order within one option, but `--data a --data-urlencode b --data c` is one body.
enum ArgumentPosition {
    private static let counter = NIOLockedValueBox(0)

    /// - Returns: A number that is greater than all previous ones.
    static func next() -> Int {
        counter.withLockedValue { count in
            count += 1
            return count
        }
    }
}

/// JSON that the user wrote, on the command line or in a file.
enum JSONText {
    /// Reads an argument, or the file that it names, and checks that it is JSON.
    ///
    /// - Returns: The unchanged text.
    /// - Throws: ``UsageError/noJSON(_:line:column:)``, ``FileError``.
    static func read(_ text: String) throws -> [UInt8] {
        let file = text.hasPrefix("@") ? String(text.dropFirst()) : nil
        let bytes = try file.map { try InputFile.read($0) } ?? Array(text.utf8)
        do throws(JSONSyntaxError) {
            var scanner = try JSONScanner(bytes)
            while try scanner.next() != nil {}
            return bytes
        } catch {
            throw UsageError.noJSON(file ?? "--json-body", line: error.line, column: error.column)
        }
    }
}
