// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler

@Suite struct ServiceGenerationTests {
    /// Returns a bank's description with an operation in each style, and with the additional `ports` and `operations`.
    private static func bank(use: String = "literal", style: String = "document") -> String {
        """
        <definitions name="Bank" targetNamespace="urn:bank" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:bank"
          xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
          xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/">
          <types><xs:schema targetNamespace="urn:bank" elementFormDefault="qualified">
            <xs:element name="Balance"><xs:complexType><xs:sequence><xs:element name="account" type="xs:string"/>
              <xs:element name="day" type="xs:date" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
            <xs:element name="BalanceResponse"><xs:complexType><xs:sequence><xs:element name="amount" type="xs:decimal"/>
              </xs:sequence></xs:complexType></xs:element>
            <xs:element name="UnknownAccount" type="xs:string"/>
            <xs:element name="Session" type="xs:string"/>
          </xs:schema></types>
          <message name="in"><part name="p" element="t:Balance"/></message>
          <message name="out"><part name="p" element="t:BalanceResponse"/></message>
          <message name="fault"><part name="f" element="t:UnknownAccount"/></message>
          <message name="header"><part name="h" element="t:Session"/></message>
          <message name="numbers"><part name="a" type="xs:int"/><part name="b" type="xs:int"/></message>
          <message name="nothing"/>
          <portType name="Bank">
            <operation name="Balance"><documentation>Returns the balance.</documentation>
              <input message="t:in"/><output message="t:out"/><fault name="UnknownAccount" message="t:fault"/></operation>
            <operation name="notify"><input message="t:in"/></operation>
            <operation name="add"><input message="t:numbers"/><output message="t:numbers"/></operation>
            <operation name="ping"><input message="t:nothing"/><output message="t:nothing"/></operation>
          </portType>
          \(binding("B11", "soap", use: use))
          \(binding("B12", "soap12", use: use))
          <service name="AccountService"><documentation>The accounts.</documentation>
            <port name="P11" binding="t:B11"><soap:address location="https://bank.test/11"/></port>
            <port name="P12" binding="t:B12"><soap12:address location="https://bank.test/12"/></port>
          </service>
        </definitions>
        """
    }

    private static func binding(_ name: String, _ soap: String, use: String) -> String {
        """
        <binding name="\(name)" type="t:Bank"><\(soap):binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
          <operation name="Balance"><\(soap):operation soapAction="urn:balance"/>
            <input><\(soap):body use="literal"/><\(soap):header message="t:header" part="h" use="literal"/></input>
            <output><\(soap):body use="literal"/></output>
            <fault name="UnknownAccount"><\(soap):fault name="UnknownAccount" use="literal"/></fault></operation>
          <operation name="notify"><\(soap):operation soapAction=""/><input><\(soap):body use="literal"/></input></operation>
          <operation name="add"><\(soap):operation soapAction="urn:add" style="rpc"/>
            <input><\(soap):body use="\(use)" namespace="urn:calls"/></input>
            <output><\(soap):body use="\(use)" namespace="urn:calls"/></output></operation>
          <operation name="ping"><\(soap):operation soapAction="urn:ping"/>
            <input><\(soap):body use="literal"/></input><output><\(soap):body use="literal"/></output></operation>
        </binding>
        """
    }

    @Test("Ports of one port type share a struct")
    func ports() async throws {
        let swift = try await Generated(document: Self.bank())
        #expect(swift.files.map(\.name) == ["Bank.swift"])
        #expect(
            swift.has(
                """
                /// The accounts.
                public struct AccountService: SOAPService {
                /// The ports of the service.
                public static let ports: [SOAPPort] = [
                SOAPPort("P11", endpoint: "https://bank.test/11", version: .soap11),
                SOAPPort("P12", endpoint: "https://bank.test/12", version: .soap12),
                ]
                """))
        #expect(swift.text.split(separator: ": SOAPService {").count == 2)
        #expect(swift.has("public import SOAPClients"))
    }

    @Test("An operation has a method with its request and one with the request's properties, both with its headers")
    func methods() async throws {
        let swift = try await Generated(document: Self.bank())
        #expect(
            swift.has(
                """
                /// Returns the balance.
                public func balance(_ request: Balance, session: String? = nil) async throws -> BalanceResponse {
                var headers: [SOAPHeader] = []
                if let session { headers.append(SOAPHeader(XMLName("Session", in: bankNamespace), session)) }
                return try await client.call(Operations.balance, request, headers: headers)
                }
                """))
        #expect(
            swift.has(
                """
                public func balance(account: String, day: XMLDate? = nil, session: String? = nil) async throws -> BalanceResponse {
                try await self.balance(Balance(account: account, day: day), session: session)
                }
                """))
        #expect(
            swift.has(
                """
                public static let balance = SOAPOperation<Balance, BalanceResponse>(
                "Balance",
                action: "urn:balance",
                input: XMLName("Balance", in: bankNamespace),
                output: XMLName("BalanceResponse", in: bankNamespace),
                faults: [UnknownAccount.self]
                )
                """))
    }

    @Test(
        "A header with the name of a method's parameter gets another name", arguments: ["client", "headers", "request"])
    func headerNames(name: String) async throws {
        let document = Self.bank().replacing("name=\"Session\"", with: "name=\"\(name)\"")
            .replacing("t:Session", with: "t:\(name)")
        let swift = try await Generated(document: document)
        #expect(swift.text.contains("(_ request: Balance, \(name)Header: String? = nil)"))
    }

    @Test("A fault is an error type of the service")
    func faults() async throws {
        let swift = try await Generated(document: Self.bank())
        #expect(swift.has("public struct UnknownAccount: SOAPFaultDetail {"))
        #expect(swift.has(#"public static var detailName: XMLName { XMLName("UnknownAccount", in: bankNamespace) }"#))
        #expect(swift.has("public let detail: String"))
    }

    @Test("One-way operations and empty messages have methods")
    func oneWay() async throws {
        let swift = try await Generated(document: Self.bank())
        #expect(
            swift.has(
                """
                public func notify(_ request: Balance) async throws {
                _ = try await client.call(Operations.notify, request)
                }
                """))
        #expect(swift.text.contains("isOneWay: true"))
        #expect(
            swift.has(
                """
                public func ping() async throws {
                _ = try await client.call(Operations.ping, SOAPEmptyBody())
                }
                """))
    }

    @Test("The parts of an RPC-style message are a struct", arguments: ["literal", "encoded"])
    func rpc(use: String) async throws {
        let swift = try await Generated(document: Self.bank(use: use))
        #expect(swift.has("public struct AddRequest: XMLCodable {"))
        #expect(swift.has("public func add(a: Int32, b: Int32) async throws -> AddResponse {"))
        #expect(swift.text.contains(#"XMLName("add", in: callsNamespace)"#))
        #expect(swift.text.contains("inputEncoding: .soap11") == (use == "encoded"))
    }

    @Test(
        "Encoded messages contain the declared type if a Swift type represents several",
        arguments: ["literal", "encoded"])
    func declaredTypes(use: String) async throws {
        let document = Self.bank(use: use).replacing(#"type="xs:int""#, with: #"type="xs:positiveInteger""#)
        let swift = try await Generated(document: document)
        let type = #"type: XMLName("positiveInteger", in: "http://www.w3.org/2001/XMLSchema")"#
        #expect(document.contains("positiveInteger") && swift.text.contains(type) == (use == "encoded"))
    }

    @Test("Access, imports, an enclosing enum and a single file are options")
    func options() async throws {
        var options = GenerationOptions()
        (options.access, options.imports) = (.internal, ["Logging"])
        (options.enclosure, options.singleFile) = ("Accounts", "accounts.wsdl.swift")
        let swift = try await Generated(document: Self.bank(), options: options)
        #expect(swift.files.map(\.name) == ["accounts.wsdl.swift"])
        #expect(!swift.text.contains("public"))
        #expect(swift.has("import Logging\nimport SOAPClients"))
        #expect(
            swift.text.contains("\nenum Accounts {\n    /// The accounts.\n    struct AccountService: SOAPService {\n"))
    }

    @Test("The same description results in the same bytes")
    func deterministic() async throws {
        let first = try await Generated(document: Self.bank()).files
        for _ in 0..<5 {
            #expect(try await Generated(document: Self.bank()).files == first)
        }
    }
}
