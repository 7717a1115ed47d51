// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Logging
import NIOConcurrencyHelpers
import SOAPClients
import TestServer
import Testing

@Suite struct InterceptorTests {
    /// An interceptor that adds its name to messages, and records its calls.
    private struct Marker: SOAPInterceptor {
        let name: String
        let log: NIOLockedValueBox<[String]>

        func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws {
            note("prepare \(name) \(call.operation)")
            request.envelope += Array("<!--\(name)-->".utf8)
            request.headerFields[.userAgent] = name
        }

        func sending(_ request: SOAPMessage, for call: SOAPCall) async {
            note("sending \(name) \(request.text.hasSuffix("<!--signed-->"))")
        }

        func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {
            note("received \(name) \(response.status?.code ?? 0)")
            response.envelope = Array(response.text.replacing("42", with: "43").utf8)
        }

        private func note(_ line: String) { log.withLockedValue { $0.append(line) } }
    }

    private struct Refusal: SOAPInterceptor {
        struct Refused: Error {}

        func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws { throw Refused() }
    }

    @Test("Interceptors change messages in order, and the signed message is sent") func order() async throws {
        let log = NIOLockedValueBox<[String]>([])
        let service = StandIn(envelope(balanceBody))
        let client = SOAPClient(service) {
            $0.interceptors = [Marker(name: "a", log: log), Marker(name: "b", log: log)]
            $0.signer = SOAPSigner { $0 + Array("<!--signed-->".utf8) }
        }
        #expect(try await client.call(AccountService.balance, Balance(account: "1")).amount == 43)
        #expect(service.body.hasSuffix("<!--a--><!--b--><!--signed-->"))
        #expect(service.last?.headerFields[.userAgent] == "b")
        #expect(
            log.withLockedValue { $0 } == [
                "prepare a Balance", "prepare b Balance", "sending a true", "sending b true", "received b 200",
                "received a 200",
            ])
    }

    @Test("An interceptor's error ends the call before the request is sent") func refusal() async throws {
        let service = StandIn(envelope(balanceBody))
        let client = SOAPClient(service) { $0.interceptors = [Refusal()] }
        await #expect(throws: Refusal.Refused.self) {
            try await client.call(AccountService.balance, Balance(account: "1"))
        }
        #expect(service.last == nil)
    }

    // MARK: Logging

    private static let security =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"

    private static let secrets = """
        <w:Security xmlns:w="\(security)"><w:UsernameToken><w:Username>SECRET1</w:Username><w:Password>SECRET2\
        </w:Password><w:Nonce>SECRET3</w:Nonce></w:UsernameToken><w:BinarySecurityToken>SECRET4\
        </w:BinarySecurityToken></w:Security><b:SessionKey>SECRET5</b:SessionKey><b:Visible password="SECRET6">shown\
        </b:Visible><a:Assertion xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion">SECRET7</a:Assertion>\
        <w:Nonce xmlns:w="\(security)">SECRET8</w:Nonce><b:Own>SECRET9</b:Own>\
        <b:sessionKey value="SECRET15"><b:part of="SECRET16"/></b:sessionKey>
        """

    @Test("Secrets in envelopes and header fields are not logged") func redaction() async throws {
        let lines = LogLines()
        let service = StandIn { request, _ in
            try SessionResponse(
                to: request, headerFields: [.contentType: "text/xml", .setCookie: "a=SECRET10; Path=/"],
                body: .text(envelope(balanceBody, header: Self.secrets)))
        }
        let client = SOAPClient(service) {
            $0.endpoint = "http://user:SECRET11@bank.example/?token=SECRET12"
            $0.addressing = SOAPAddressing()
            $0.addressing?.requiresRelation = false
            $0.addressing?.to = "http://user:SECRET17@bank.example/?token=SECRET18"
            $0.options.headerFields[.authorization] = "Basic SECRET13"
            $0.interceptors = [
                SOAPLogging(lines.logger, redaction: SOAPRedaction(elements: [XMLName("Own", in: bankNamespace)]))
            ]
        }
        _ = try await client.call(
            AccountService.balance, Balance(account: "12345"), headers: [SOAPHeader(XMLName("AuthToken"), "SECRET14")])
        #expect(lines.all.count == 2)
        for line in lines.all { #expect(!line.contains("SECRET"), "\(line)") }
        #expect(lines.all.first?.contains("12345") == true)
        #expect(lines.all.last?.contains("shown") == true)
        #expect(lines.all.last?.contains("(hidden)") == true)
    }

    @Test("The Body and signed parts can be hidden in the log") func signedParts() {
        let text = """
            <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)"><s:Header><Signature \
            xmlns="http://www.w3.org/2000/09/xmldsig#"><Reference URI="#h"/></Signature><H Id="h">COVERED</H></s:Header>\
            <s:Body>BODY</s:Body></s:Envelope>
            """
        let bytes = Array(text.utf8)
        #expect(SOAPRedaction().text(of: bytes).contains("COVERED"))
        #expect(!SOAPRedaction(hidesSignedParts: true).text(of: bytes).contains("COVERED"))
        #expect(SOAPRedaction(hidesSignedParts: true).text(of: bytes).contains("BODY"))
        let complete = Array(text.replacing("#h", with: "").utf8)
        #expect(!SOAPRedaction(hidesSignedParts: true).text(of: complete).contains("BODY"))
        #expect(!SOAPRedaction(hidesBody: true).text(of: bytes).contains("BODY"))
        var short = SOAPRedaction()
        short.maximumByteCount = 10
        #expect(short.text(of: bytes).hasSuffix(" bytes)"))
        #expect(SOAPRedaction().text(of: Array("password=SECRET".utf8)) == "(15 bytes that are not XML)")
    }

    @Test("A logger with a higher level receives nothing") func level() async throws {
        var lines = LogLines()
        lines.logLevel = .info
        let client = SOAPClient(StandIn(envelope(balanceBody))) { $0.interceptors = [SOAPLogging(lines.logger)] }
        _ = try await client.call(AccountService.balance, Balance(account: "1"))
        #expect(lines.all.isEmpty)
    }

    // MARK: Verifying

    @Test("Only the verifier's result is read, and its error ends the call") func verifier() async throws {
        struct Unverified: Error {}
        let service = StandIn(envelope(balanceBody.replacing("42", with: "1")))
        var client = SOAPClient(service)
        client.verifier = SOAPVerifier { bytes in
            #expect(String(decoding: bytes, as: UTF8.self).contains("1"))
            return .init(envelope: Array(envelope(balanceBody).utf8))
        }
        #expect(try await client.call(AccountService.balance, Balance(account: "1")).amount == 42)
        client.verifier = SOAPVerifier { _ in throw Unverified() }
        await #expect(throws: Unverified.self) {
            try await client.call(AccountService.balance, Balance(account: "1"))
        }
    }

    @Test("An unverified fault is marked as unverified") func unverifiedFault() async throws {
        struct Unverified: Error {}
        let body = "<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>"
        let client = SOAPClient(StandIn(.internalServerError, type: "text/xml", envelope(body))) {
            $0.verifier = SOAPVerifier { _ in throw Unverified() }
        }
        let error = await clientError { try await client.call(AccountService.balance, Balance(account: "1")) }
        guard case .unverifiedFault(let fault, is Unverified) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.reason == "no")
    }
}
