// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import HTTPTypes

/// The options for a request, other than the URL and the body.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")],
        help: ArgumentHelp("The method to send, such as PROPFIND, instead of the command's.", valueName: "method"),
        transform: Self.method)
    var method: HTTPRequest.Method?

    @Option(
        name: [.customShort("H", allowingJoined: true), .long],
        help: ArgumentHelp(
            "A field to send, such as \"Accept: text/csv\"; repeatable.",
            discussion:
                "@FILE reads fields from a file, one on each line, because other users of this machine can see the command line. The field Authorization replaces every credential for the URL's origin, as in curl; -v says which.",
            valueName: "field"), transform: HeaderOption.init)
    var header: [HeaderOption] = []

    @Option(
        name: [.customShort("A", allowingJoined: true), .long],
        help: ArgumentHelp("The value of the field User-Agent.", valueName: "name"), transform: Self.value)
    var userAgent: String?

    @Option(
        name: [.customShort("e", allowingJoined: true), .long],
        help: ArgumentHelp("The value of the field Referer.", valueName: "url"), transform: Self.referer)
    var referer: String?

    @Flag(
        name: [.customShort("L"), .customLong("location")],
        help: "Follow redirects, which is the default.")
    var followsRedirects = false

    @Flag(name: .customLong("no-location"), help: "Deliver a redirect itself instead of following it.")
    var deliversRedirects = false

    @Option(
        help: ArgumentHelp("The maximum number of redirects; 20 by default.", valueName: "number"),
        transform: Self.redirects)
    var maxRedirs: Int?

    @Option(
        help: ArgumentHelp(
            "The host for which a service's certificate must be valid, instead of the host that discovery finds.",
            discussion:
                "A name that you know, for a URL such as 'My web._https._tcp.local'. The system's anchors are then trusted.",
            valueName: "host"), transform: Self.host)
    var serviceHost: HostName?

    func checkContradictions() throws(UsageError) {
        if followsRedirects, deliversRedirects { throw .contradiction("--location", "--no-location") }
        if deliversRedirects, maxRedirs != nil { throw .contradiction("--no-location", "--max-redirs") }
        let names = Set(header.compactMap(\.name))
        if userAgent != nil, names.contains(.userAgent) { throw .contradiction("--user-agent", "-H User-Agent") }
        if referer != nil, names.contains(.referer) { throw .contradiction("--referer", "-H Referer") }
    }

    func apply(to configuration: inout HTTPSession.Configuration) {
        if let maxRedirs { configuration.redirectLimit = maxRedirs }
        if deliversRedirects { configuration.redirectLimit = 0 }
    }

    /// Returns the fields of every `-H`, including those from files, and the fields that have a separate option.
    func fields() throws -> HTTPFields {
        var fields = HTTPFields()
        for option in header { fields.append(contentsOf: try option.fields()) }
        if let userAgent { fields[.userAgent] = userAgent }
        if let referer { fields[.referer] = referer }
        return fields
    }

    private static func method(_ text: String) throws(WrongValue) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(rawValue: text), method != .connect else {
            throw WrongValue("write the name of a method, such as PROPFIND")
        }
        return method
    }

    private static func value(_ text: String) throws(WrongValue) -> String {
        guard !text.isEmpty, HTTPField.isValidValue(text) else {
            throw WrongValue("write text without control characters")
        }
        return text
    }

    private static func referer(_ text: String) throws(WrongValue) -> String {
        guard !text.hasSuffix(";auto") else { throw WrongValue("leave ';auto' out: redirects change no Referer") }
        return try value(text)
    }

    private static func host(_ text: String) throws(WrongValue) -> HostName {
        guard let host = try? HostName(international: text) else {
            throw WrongValue("write the name of a host, such as web.example")
        }
        return host
    }

    private static func redirects(_ text: String) throws(WrongValue) -> Int {
        guard let count = Int(text), (1...1_000).contains(count) else {
            throw WrongValue("write a number from 1 to 1000; --no-location follows none")
        }
        return count
    }
}

extension HeaderOption {
    /// The field name; `nil` for a file.
    fileprivate var name: HTTPField.Name? {
        if case .field(let field) = self { field.name } else { nil }
    }
}

/// The value of `-H`: a field, or a file with several.
enum HeaderOption: Sendable {
    case field(HTTPField)
    case file(String)

    init(_ text: String) throws(WrongValue) {
        self = text.first == "@" ? .file(String(text.dropFirst())) : .field(try Self.field(text))
    }

    /// - Throws: ``WrongValue``, ``FileError``, ``NamedFileError``.
    func fields() throws -> [HTTPField] {
        switch self {
        case .field(let field):
            return [field]
        case .file(let path):
            let lines = try InputFile.read(path).split(separator: UInt8(ascii: "\n"))
            return try InputFile.naming(path) {
                try lines.compactMap { line in
                    let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
                    return text.isEmpty ? nil : try Self.field(text)
                }
            }
        }
    }

    /// The fields that the session sets itself, because no other value would be right, with the explanation for the
    /// user.
    private static let own: [String: String] = [
        "content-length": "it is computed from the body",
        "proxy-authorization": "it is made from --proxy-user and the challenge of the proxy",
        "transfer-encoding": "it is chosen for the body",
    ]

    private static func field(_ text: String) throws(WrongValue) -> HTTPField {
        guard let colon = text.firstIndex(of: ":"), let name = HTTPField.Name(String(text[..<colon])) else {
            throw WrongValue("write it as \"Name: value\", or @FILE")
        }
        if let reason = own[name.canonicalName] { throw WrongValue("\(name) cannot be given: \(reason)") }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard HTTPField.isValidValue(String(value)) else {
            throw WrongValue("the value of \(name) has a character that no field can have")
        }
        guard !name.isHost || HostName.withPort(String(value)) != nil else {
            throw WrongValue("write it as \"Host: HOST:PORT\"")
        }
        return HTTPField(name: name, value: String(value))
    }
}

extension HTTPFields {
    /// Removes the field `Host`, and returns its host and port; `nil` if there is none.
    ///
    /// - Throws: ``UsageError/repeated(_:)``.
    mutating func takeHost() throws(UsageError) -> (host: HostName, port: Int?)? {
        let hosts = filter(\.name.isHost)
        guard let host = hosts.first else { return nil }
        guard hosts.count == 1 else { throw .repeated("-H Host") }
        self[host.name] = nil
        return HostName.withPort(host.value)
    }
}

extension HTTPField.Name {
    fileprivate var isHost: Bool { canonicalName == "host" }
}

extension HeaderOption {
    /// Whether the option is a field with a credential; the contents of a file are not examined.
    var holdsCredential: Bool {
        guard case .field(let field) = self else { return false }
        return Redaction.hides(field)
    }
}
