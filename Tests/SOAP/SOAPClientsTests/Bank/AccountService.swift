// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SOAPClients

// This has the form of generated code, so that the tests use the API as users do.

let bankNamespace = "urn:bank"

/// A service that manages accounts.
struct AccountService: SOAPService {
    static let ports = [
        SOAPPort("AccountPort", endpoint: "https://bank.example/accounts", version: .soap11),
        SOAPPort("AccountPort12", endpoint: "https://bank.example/accounts12", version: .soap12),
    ]
    var client: SOAPClient
    init(client: SOAPClient) { self.client = client }

    /// Returns an account's balance.
    func balance(_ request: Balance) async throws -> BalanceResponse {
        try await client.call(Self.balance, request)
    }

    /// Sends a note.
    func note(_ request: Note) async throws {
        _ = try await client.call(Self.note, request)
    }

    /// Sends a document, and returns the one of the response.
    func scan(_ request: Scan) async throws -> ScanResponse {
        try await client.call(Self.scan, request)
    }

    static let balance = SOAPOperation<Balance, BalanceResponse>(
        "Balance", action: "urn:bank#balance", input: XMLName("Balance", in: bankNamespace),
        output: XMLName("BalanceResponse", in: bankNamespace), faults: [UnknownAccount.self])
    static let note = SOAPOperation<Note, SOAPEmptyBody>(
        "Note", action: "urn:bank#note", input: XMLName("Note", in: bankNamespace), output: nil, isOneWay: true)
    static let scan = SOAPOperation<Scan, ScanResponse>(
        "Scan", action: "urn:bank#scan", input: XMLName("Scan", in: bankNamespace),
        output: XMLName("ScanResponse", in: bankNamespace))
    static let ping = SOAPOperation<SOAPEmptyBody, SOAPEmptyBody>("Ping", input: nil, output: nil)
    static let pair = SOAPOperation<Pair, Pair>("Pair", input: nil, output: nil)
    static let encoded = SOAPOperation<Balance, EncodedPair>(
        "Encoded", input: XMLName("encoded", in: bankNamespace), output: XMLName("encodedResponse", in: bankNamespace),
        inputEncoding: .soap11, outputEncoding: .soap11)

    /// The error that is thrown if the service returns the fault `UnknownAccount`.
    struct UnknownAccount: SOAPFaultDetail {
        static let detailName = XMLName("UnknownAccount", in: bankNamespace)
        let fault: SOAPFault
        let detail: UnknownAccountDetail

        init(fault: SOAPFault, detail: UnknownAccountDetail) { (self.fault, self.detail) = (fault, detail) }
    }
}

struct Balance: XMLCodable {
    var account: String

    init(account: String) { self.account = account }

    static var xmlType: XMLName? { XMLName("Balance", in: bankNamespace) }
    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("account", in: bankNamespace, account)
    }
    init(from xml: inout XMLReader) throws(XMLValueError) { account = try xml.element("account", in: bankNamespace) }
}

struct BalanceResponse: XMLCodable {
    var amount: Int
    var text: String?

    init(amount: Int, text: String? = nil) { (self.amount, self.text) = (amount, text) }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("amount", in: bankNamespace, amount)
        try xml.element("text", in: bankNamespace, text)
    }
    init(from xml: inout XMLReader) throws(XMLValueError) {
        amount = try xml.element("amount", in: bankNamespace)
        text = try xml.optionalElement("text", in: bankNamespace)
    }
}

struct Note: XMLCodable {
    var text: String

    init(text: String) { self.text = text }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.element("text", in: bankNamespace, text) }
    init(from xml: inout XMLReader) throws(XMLValueError) { text = try xml.element("text", in: bankNamespace) }
}

struct Scan: XMLCodable {
    var image: XMLBinary

    init(image: XMLBinary) { self.image = image }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.element("image", in: bankNamespace, image) }
    init(from xml: inout XMLReader) throws(XMLValueError) { image = try xml.element("image", in: bankNamespace) }
}

typealias ScanResponse = Scan

struct UnknownAccountDetail: XMLCodable {
    var account: String

    init(account: String) { self.account = account }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("account", in: bankNamespace, account)
    }
    init(from xml: inout XMLReader) throws(XMLValueError) { account = try xml.element("account", in: bankNamespace) }
}

/// A Body with two elements.
struct Pair: SOAPBodyParts {
    var first: String
    var second: Int

    init(first: String, second: Int) { (self.first, self.second) = (first, second) }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("first", in: bankNamespace, first)
        try xml.element("second", in: bankNamespace, second)
    }
    init(from xml: inout XMLReader) throws(XMLValueError) {
        first = try xml.element("first", in: bankNamespace)
        second = try xml.element("second", in: bankNamespace)
    }
}

/// The two parts of an RPC-style message, without namespaces.
struct EncodedPair: XMLCodable {
    var one: String
    var other: String

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("one", one)
        try xml.element("other", other)
    }
    init(from xml: inout XMLReader) throws(XMLValueError) {
        one = try xml.element("one")
        other = try xml.element("other")
    }
}
