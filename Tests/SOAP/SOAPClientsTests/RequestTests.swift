// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import SOAPClients
import Testing

@Suite struct RequestTests {
    private let answer = envelope(balanceBody)

    @Test("A SOAP 1.1 request has the type text/xml and a quoted SOAPAction") func soap11() async throws {
        let service = StandIn(answer)
        let bank = AccountService(session: service)
        #expect(try await bank.balance(Balance(account: "1")) == BalanceResponse(amount: 42))
        let request = try #require(service.last)
        #expect(request.method == .post)
        #expect(request.url == "https://bank.example/accounts")
        #expect(request.headerFields[.contentType] == "text/xml; charset=utf-8")
        #expect(request.headerFields[try #require(HTTPField.Name("SOAPAction"))] == "\"urn:bank#balance\"")
        #expect(
            service.body == """
                <?xml version="1.0" encoding="utf-8"?>
                <soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>\
                <ns1:Balance xmlns:ns1="urn:bank"><ns1:account>1</ns1:account></ns1:Balance>\
                </soap:Body></soap:Envelope>
                """)
    }

    @Test("A SOAP 1.2 request has the type application/soap+xml with its action") func soap12() async throws {
        let service = StandIn(type: "application/soap+xml", envelope(balanceBody, version: .soap12))
        let bank = AccountService(session: service, port: AccountService.ports[1])
        _ = try await bank.balance(Balance(account: "1"))
        let request = try #require(service.last)
        #expect(request.url == "https://bank.example/accounts12")
        #expect(
            request.headerFields[.contentType] == "application/soap+xml; charset=utf-8; action=\"urn:bank#balance\"")
        #expect(request.headerFields[try #require(HTTPField.Name("SOAPAction"))] == nil)
        #expect(service.body.contains("xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\""))
    }

    @Test(
        "Texts are sent and received unchanged",
        arguments: [
            "<data>", "a & b", "]]>", "\"quoted\" 'too'", "  spaces\n\tand lines  ", "&lt;", "\u{E000}\u{1F600}", "",
            "\r\n",
        ])
    func exactText(text: String) async throws {
        let service = StandIn { request, body in
            // The service returns the text as it occurs in the request.
            let start = try #require(body.firstRange(of: "<ns1:text>") ?? body.firstRange(of: "<ns1:text/>"))
            let end = body.firstRange(of: "</ns1:text>")?.lowerBound ?? start.upperBound
            let echo = "<b:BalanceResponse><b:amount>1</b:amount><b:text>\(body[start.upperBound..<end])</b:text>"
            return try SessionResponse(
                to: request, headerFields: [.contentType: "text/xml"],
                body: .text(envelope(echo + "</b:BalanceResponse>")))
        }
        let echo = SOAPOperation<Note, BalanceResponse>(
            "Echo", input: XMLName("Note", in: bankNamespace), output: XMLName("BalanceResponse", in: bankNamespace))
        let response = try await SOAPClient(service).call(echo, Note(text: text))
        #expect(response.text == text)
    }

    @Test("Headers of the client and of the call are written in order, with their attributes")
    func headers() async throws {
        for (version, flag, role) in [(SOAPVersion.soap11, "1", "actor"), (.soap12, "true", "role")] {
            let service = StandIn(type: version.mediaType, envelope(balanceBody, version: version))
            let client = SOAPClient(service, version) {
                $0.headers = [SOAPHeader(XMLName("Session", in: bankNamespace), "s")]
            }
            _ = try await client.call(
                AccountService.balance, Balance(account: "1"),
                headers: [SOAPHeader(XMLName("Limit", in: bankNamespace), 7, mustUnderstand: true, role: "urn:r")])
            #expect(
                service.body.contains(
                    """
                    <soap:Header><ns1:Session xmlns:ns1="urn:bank">s</ns1:Session>\
                    <ns1:Limit xmlns:ns1="urn:bank" soap:mustUnderstand="\(flag)" soap:\(role)="urn:r">7</ns1:Limit>\
                    </soap:Header>
                    """), "\(service.body)")
        }
    }

    @Test("A response header is read as a value, and a missing one is nil") func responseHeaders()
        async throws
    {
        let service = StandIn(envelope(balanceBody, header: "<b:Limit>7</b:Limit><b:Session>s</b:Session>"))
        let response = try await SOAPClient(service).send(AccountService.balance, Balance(account: "1"))
        #expect(response.headers.map(\.name.local) == ["Limit", "Session"])
        #expect(try response.header(XMLName("Limit", in: bankNamespace)) == 7)
        #expect(try response.header(XMLName("Other", in: bankNamespace), as: String.self) == nil)
        #expect(throws: SOAPClientError.self) {
            try response.header(XMLName("Session", in: bankNamespace), as: Int.self)
        }
    }

    @Test("An empty Body and several parts of a Body are written and read") func bodies() async throws {
        let ping = StandIn(envelope(""))
        #expect(try await SOAPClient(ping).call(AccountService.ping, SOAPEmptyBody()) == SOAPEmptyBody())
        #expect(ping.body.contains("<soap:Body/>"))
        let pair = StandIn(envelope("<b:first>a</b:first><b:second>2</b:second>"))
        #expect(
            try await SOAPClient(pair).call(AccountService.pair, Pair(first: "x", second: 1))
                == Pair(first: "a", second: 2))
        #expect(pair.body.contains("<soap:Body><ns1:first xmlns:ns1=\"urn:bank\">x</ns1:first>"))
    }

    @Test("A Body with any elements is written and read unchanged") func anyBody() async throws {
        let any = SOAPOperation<SOAPAnyBody, SOAPAnyBody>("Any", input: nil, output: nil)
        let element = XMLElementValue(
            XMLName("Other", in: "urn:o"), attributes: [XMLName("a"): "<"], content: [.text("&")])
        let service = StandIn { request, body in
            try SessionResponse(to: request, headerFields: [.contentType: "text/xml"], body: .text(body))
        }
        #expect(try await SOAPClient(service).call(any, SOAPAnyBody([element])) == SOAPAnyBody([element]))
    }

    @Test("An empty response to a one-way message is read as no elements") func emptyAnyBody() async throws {
        let operation = SOAPOperation<SOAPAnyBody, SOAPAnyBody>("Notify", input: nil, output: nil, isOneWay: true)
        let client = SOAPClient(StandIn(.accepted, type: nil, ""))
        #expect(try await client.call(operation, SOAPAnyBody()).elements.isEmpty)
    }

    @Test("SOAP encoding is written with types, and references in a response are followed") func encoded()
        async throws
    {
        let service = StandIn(
            envelope(
                """
                <b:encodedResponse><one href="#i"/><other href="#i"/></b:encodedResponse>\
                <multiRef id="i">shared</multiRef>
                """))
        let pair = try await SOAPClient(service).call(AccountService.encoded, Balance(account: "1"))
        #expect(pair.one == "shared")
        #expect(pair.other == "shared")
        #expect(service.body.contains("soap:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\""))
        #expect(service.body.contains(":type=\"xsd:string\""))
    }

    @Test("Without an endpoint no request is sent") func noEndpoint() async throws {
        let service = StandIn(answer)
        let error = await clientError {
            try await SOAPClient(session: service, endpoint: "").call(AccountService.balance, Balance(account: "1"))
        }
        guard case .noEndpoint = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.last == nil)
    }

    @Test("A value that XML cannot represent is an error that names the operation") func unwritable() async throws {
        let service = StandIn(answer)
        let error = await clientError { try await AccountService(session: service).balance(Balance(account: "\u{0}")) }
        guard case .unwritable("Balance", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.last == nil)
    }
}
