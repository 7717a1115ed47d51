// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Calls a SOAP service by a client that 'countersign soap generate docs/guide/examples/bank.wsdl --single-file Bank' has made.

// snippet.hide
import Countersign
import SOAPClient

private let bankAccountsNamespace = "https://bank.example/accounts"

/// The accounts of a bank.
struct AccountService: SOAPService {
    /// The ports of the service.
    static let ports: [SOAPPort] = [
        SOAPPort("AccountPort", endpoint: "https://bank.example/accounts", version: .soap11)
    ]

    /// The client that sends the messages.
    var client: SOAPClient

    /// Creates a service that uses a client.
    init(client: SOAPClient) { self.client = client }

    /// Returns what an account holds.
    func balance(_ request: Balance) async throws -> BalanceResponse {
        try await client.call(Operations.balance, request)
    }

    /// Returns what an account holds.
    func balance(account: String, date: XMLDate? = nil) async throws -> BalanceResponse {
        try await self.balance(Balance(account: account, date: date))
    }

    /// The descriptions of the operations, for calls with more options than the methods have.
    enum Operations {
        /// The operation `Balance`.
        static let balance = SOAPOperation<Balance, BalanceResponse>(
            "Balance",
            action: "https://bank.example/accounts/balance",
            input: XMLName("Balance", in: bankAccountsNamespace),
            output: XMLName("BalanceResponse", in: bankAccountsNamespace),
            faults: [UnknownAccountFault.self]
        )
    }

    /// The error that is thrown if the service returns the fault `UnknownAccount`.
    struct UnknownAccountFault: SOAPFaultDetail {
        /// The name of the element in the fault's detail.
        static var detailName: XMLName { XMLName("UnknownAccount", in: bankAccountsNamespace) }

        /// The received fault.
        let fault: SOAPFault
        /// The detail of the fault.
        let detail: UnknownAccount

        /// Creates an error from a fault and its detail.
        init(fault: SOAPFault, detail: UnknownAccount) {
            self.fault = fault
            self.detail = detail
        }
    }
}

/// The type `Currency`.
enum Currency: String, XMLSimpleType, CaseIterable {
    case chf = "CHF"
    case eur = "EUR"
    case usd = "USD"

    /// The name of the type in its schema.
    static var xmlType: XMLName? { XMLName("Currency", in: bankAccountsNamespace) }
}

/// A sum of money.
struct Amount: XMLCodable {
    /// The attribute `currency`.
    var currency: Currency
    /// The element's text.
    var value: Decimal

    /// Creates a value from its parts.
    init(currency: Currency, value: Decimal) {
        self.currency = currency
        self.value = value
    }

    /// The name of the type in its schema.
    static var xmlType: XMLName? { XMLName("Amount", in: bankAccountsNamespace) }

    /// Writes the attributes and the content.
    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.attribute("currency", currency)
        try xml.text(value)
    }

    /// Reads the attributes and the content.
    init(from xml: inout XMLReader) throws(XMLValueError) {
        currency = try xml.attribute("currency")
        value = try xml.text()
    }
}

/// The element `Balance`.
struct Balance: XMLCodable {
    /// The account's number (IBAN).
    var account: String
    /// The element `date`.
    var date: XMLDate?

    /// Creates a value from its parts.
    init(account: String, date: XMLDate? = nil) {
        self.account = account
        self.date = date
    }

    /// Writes the attributes and the content.
    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("account", in: bankAccountsNamespace, account)
        try xml.element("date", in: bankAccountsNamespace, date)
    }

    /// Reads the attributes and the content.
    init(from xml: inout XMLReader) throws(XMLValueError) {
        account = try xml.element("account", in: bankAccountsNamespace)
        date = try xml.optionalElement("date", in: bankAccountsNamespace)
    }
}

/// The element `BalanceResponse`.
struct BalanceResponse: XMLCodable {
    /// The element `amount`.
    var amount: Amount
    /// The element `booked`.
    var booked: XMLDateTime

    /// Creates a value from its parts.
    init(amount: Amount, booked: XMLDateTime) {
        self.amount = amount
        self.booked = booked
    }

    /// Writes the attributes and the content.
    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("amount", in: bankAccountsNamespace, amount)
        try xml.element("booked", in: bankAccountsNamespace, booked)
    }

    /// Reads the attributes and the content.
    init(from xml: inout XMLReader) throws(XMLValueError) {
        amount = try xml.element("amount", in: bankAccountsNamespace)
        booked = try xml.element("booked", in: bankAccountsNamespace)
    }
}

/// The element `UnknownAccount`.
struct UnknownAccount: XMLCodable {
    /// The element `account`.
    var account: String

    /// Creates a value from its parts.
    init(account: String) {
        self.account = account
    }

    /// Writes the attributes and the content.
    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("account", in: bankAccountsNamespace, account)
    }

    /// Reads the attributes and the content.
    init(from xml: inout XMLReader) throws(XMLValueError) {
        account = try xml.element("account", in: bankAccountsNamespace)
    }
}

func balance(session: Session, identity: Identity) async throws {
    // snippet.show
    let bank = AccountService(session: session, signer: .x509(identity))
    do {
        let answer = try await bank.balance(account: "CH93 0076 2011 6238 5295 7")
        print(answer.amount.value, answer.amount.currency)
    } catch let fault as AccountService.UnknownAccountFault {
        print("There is no account \(fault.detail.account).")
    }
    // snippet.hide
}
