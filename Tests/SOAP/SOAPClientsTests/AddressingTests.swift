// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import SOAPClients
import Testing

@Suite struct AddressingTests {
    /// Returns a service whose response relates to the request, or to the given message.
    private func service(
        _ version: SOAPAddressing.Version, relatesTo other: String? = nil, type: String = ""
    ) -> StandIn {
        StandIn { request, body in
            let start = try #require(body.firstRange(of: "urn:uuid:"))
            let message = body[start.lowerBound...].prefix { $0 != "<" }
            let header =
                "<a:RelatesTo xmlns:a=\"\(version.namespace)\"\(type)>\(other ?? String(message))</a:RelatesTo>"
            return try SessionResponse(
                to: request, headerFields: [.contentType: "text/xml"],
                body: .text(envelope(balanceBody, header: other == "" ? nil : header)))
        }
    }

    private func client(_ service: StandIn, _ addressing: SOAPAddressing) -> SOAPClient {
        SOAPClient(service) { $0.addressing = addressing }
    }

    @Test(
        "A request contains its destination, action and message identifier",
        arguments: [
            (SOAPAddressing.Version.v10, "http://www.w3.org/2005/08/addressing/anonymous"),
            (.v200408, "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous"),
        ])
    func headers(version: SOAPAddressing.Version, anonymous: String) async throws {
        let service = service(version)
        let client = client(service, SOAPAddressing(version))
        for _ in 0..<2 { _ = try await client.call(AccountService.balance, Balance(account: "1")) }
        for value in [
            ":To xmlns:ns1=\"\(version.namespace)\">http://bank.example/accounts<", ">urn:bank#balance<",
            ":Address>\(anonymous)<", ">urn:uuid:",
        ] {
            #expect(service.body.contains(value), "\(value) in \(service.body)")
        }
        #expect(Set(service.allBodies).count == 2, "each message has another identifier")
    }

    @Test("A one-way message requests no reply") func oneWay() async throws {
        let service = StandIn(.accepted, type: nil, "")
        _ = try await client(service, SOAPAddressing()).call(AccountService.note, Note(text: "x"))
        #expect(service.body.contains("MessageID"))
        #expect(!service.body.contains("ReplyTo"))
    }

    @Test("A response to another message, or to none, is refused") func relations() async throws {
        for (other, requires, isRefused) in [
            ("urn:uuid:other", true, true), ("", true, true), ("", false, false), ("urn:uuid:other", false, true),
        ] {
            var addressing = SOAPAddressing()
            addressing.requiresRelation = requires
            let client = client(service(.v10, relatesTo: other), addressing)
            let error = await clientError { try await client.call(AccountService.balance, Balance(account: "1")) }
            if case .unrelated(_, let found) = error {
                #expect(isRefused && found == (other.isEmpty ? nil : other))
            } else {
                #expect(!isRefused && error == nil)
            }
        }
    }

    @Test("A relation of another type than reply is ignored") func relationTypes() async throws {
        let reply = " RelationshipType=\"http://www.w3.org/2005/08/addressing/reply\""
        _ = try await client(service(.v10, type: reply), SOAPAddressing()).call(
            AccountService.balance, Balance(account: "1"))
        let other = client(service(.v10, type: " RelationshipType=\"urn:other\""), SOAPAddressing())
        let error = await clientError { try await other.call(AccountService.balance, Balance(account: "1")) }
        guard case .unrelated(_, found: nil) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("An operation without an action needs one from the caller") func noAction() async throws {
        let service = StandIn(envelope(""))
        let error = await clientError {
            try await client(service, SOAPAddressing()).call(AccountService.ping, SOAPEmptyBody())
        }
        guard case .noAction("Ping") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        var addressing = SOAPAddressing(to: "urn:to", action: "urn:own")
        (addressing.mustUnderstand, addressing.requiresRelation) = (true, false)
        _ = try await client(service, addressing).call(AccountService.ping, SOAPEmptyBody())
        #expect(service.body.contains("soap:mustUnderstand=\"1\">urn:to<"))
        #expect(service.body.contains("soap:mustUnderstand=\"1\">urn:own<"))
    }

    @Test("Addressing headers in a response are understood") func understood() async throws {
        let header = """
            <a:Action xmlns:a="http://www.w3.org/2005/08/addressing" s:mustUnderstand="1">x</a:Action>
            """
        var addressing = SOAPAddressing()
        addressing.requiresRelation = false
        let service = StandIn(envelope(balanceBody, header: header))
        _ = try await client(service, addressing).call(AccountService.balance, Balance(account: "1"))
        await #expect(throws: SOAPClientError.self) {
            try await SOAPClient(service).call(AccountService.balance, Balance(account: "1"))
        }
    }
}
