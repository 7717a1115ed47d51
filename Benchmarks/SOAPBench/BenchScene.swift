// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SOAPClients

private let namespace = "urn:bank"

/// An operation in the form of generated code, whose request and response have about the same size.
struct BenchScene: Sendable {
    private let statement: Statement
    /// The request's envelope.
    let request: [UInt8]
    /// The response's envelope.
    let response: [UInt8]

    private static let operation = SOAPOperation<Statement, Statement>(
        "Statement", action: "urn:bank#statement", input: XMLName("Statement", in: namespace),
        output: XMLName("StatementResponse", in: namespace))

    init(size: Int) throws {
        let entry = try Entry(number: 0).xml(XMLName("entry", in: namespace)).count
        statement = Statement(entries: (0..<max(1, size / entry)).map(Entry.init(number:)))
        request = try Self.envelope(around: statement.xml(XMLName("Statement", in: namespace)))
        response = try Self.envelope(around: statement.xml(XMLName("StatementResponse", in: namespace)))
    }

    /// Calls the operation once.
    func call(_ client: SOAPClient) async throws {
        let answer = try await client.call(Self.operation, statement)
        guard answer.entries.count == statement.entries.count else { throw BenchError.wrongAnswer }
    }

    private static func envelope(around body: [UInt8]) -> [UInt8] {
        Array("<s:Envelope xmlns:s=\"\(SOAPVersion.soap11.namespace)\"><s:Body>".utf8) + body
            + Array("</s:Body></s:Envelope>".utf8)
    }
}

enum BenchError: Error {
    case wrongAnswer
}

private struct Statement: XMLCodable {
    var entries: [Entry]

    init(entries: [Entry]) { self.entries = entries }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.elements("entry", in: namespace, entries) }
    init(from xml: inout XMLReader) throws(XMLValueError) { entries = try xml.elements("entry", in: namespace) }
}

private struct Entry: XMLCodable {
    var number: Int64
    var isPending: Bool
    var text: String
    var amount: Double
    var day: XMLDate?

    init(number: Int) {
        (self.number, isPending, amount) = (Int64(number), number.isMultiple(of: 3), Double(number) / 8)
        text = "Transfer <to> account & others"
    }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.attribute("number", number)
        try xml.element("isPending", in: namespace, isPending)
        try xml.element("text", in: namespace, text)
        try xml.element("amount", in: namespace, amount)
        try xml.element("day", in: namespace, day)
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        number = try xml.attribute("number")
        isPending = try xml.element("isPending", in: namespace)
        text = try xml.element("text", in: namespace)
        amount = try xml.element("amount", in: namespace)
        day = try xml.optionalElement("day", in: namespace)
    }
}
