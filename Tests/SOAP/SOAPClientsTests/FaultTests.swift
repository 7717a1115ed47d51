// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import SOAPClients
import Testing

@Suite struct FaultTests {
    private func fault(_ body: String, _ version: SOAPVersion = .soap11) async -> (any Error)? {
        let service = StandIn(.internalServerError, type: version.mediaType, envelope(body, version: version))
        do {
            _ = try await SOAPClient(service, version).call(AccountService.balance, Balance(account: "1"))
            return nil
        } catch {
            return error
        }
    }

    private static let detail = "<b:UnknownAccount><b:account>1</b:account></b:UnknownAccount>"

    @Test("A SOAP 1.1 fault is read with its code, reason, actor and detail") func soap11() async throws {
        let error = await fault(
            """
            <s:Fault><faultcode>s:Client</faultcode><faultstring xml:lang="en">  No &lt;account&gt; </faultstring>\
            <faultactor>urn:a</faultactor><detail><b:Other x="1">y</b:Other>text</detail></s:Fault>
            """)
        let fault = try #require(error as? SOAPFault)
        #expect(fault.code == .sender)
        #expect(fault.reasons == [SOAPFault.Reason("No <account>", language: "en")])
        #expect(fault.role == "urn:a")
        #expect(fault.details.map(\.name) == [XMLName("Other", in: bankNamespace)])
        #expect(fault.details.first?.text == "y")
        #expect(fault.explanation.message == "The service answered with a fault: No <account>.")
    }

    @Test("A SOAP 1.2 fault is read with its subcodes, reasons, node, role and detail") func soap12() async throws {
        let error = await fault(
            """
            <s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>b:Account</s:Value>\
            <s:Subcode><s:Value>b:Unknown</s:Value></s:Subcode></s:Subcode></s:Code>\
            <s:Reason><s:Text xml:lang="de">Nein</s:Text><s:Text xml:lang="en-GB">No</s:Text></s:Reason>\
            <s:Node>urn:n</s:Node><s:Role>urn:r</s:Role><s:Detail><b:Other/></s:Detail></s:Fault>
            """, .soap12)
        let fault = try #require(error as? SOAPFault)
        #expect(fault.code == .sender)
        #expect(fault.subcodes == [XMLName("Account", in: bankNamespace), XMLName("Unknown", in: bankNamespace)])
        #expect(fault.reason == "No")
        #expect(fault.reasons.count == 2)
        #expect(fault.node == "urn:n")
        #expect(fault.role == "urn:r")
        #expect(fault.details.count == 1)
    }

    @Test("A declared detail of the operation is thrown as its error", arguments: SOAPVersion.allCases)
    func typedDetail(version: SOAPVersion) async throws {
        let body =
            switch version {
            case .soap11:
                """
                <s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring>\
                <detail>\(Self.detail)</detail></s:Fault>
                """
            case .soap12:
                """
                <s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason><s:Text xml:lang="en">no</s:Text>\
                </s:Reason><s:Detail>\(Self.detail)</s:Detail></s:Fault>
                """
            }
        let error = await fault(body, version)
        let unknown = try #require(error as? AccountService.UnknownAccount)
        #expect(unknown.detail == UnknownAccountDetail(account: "1"))
        #expect(unknown.fault.reason == "no")
    }

    @Test(
        "An undeclared or unreadable detail is thrown as the fault",
        arguments: ["<b:Other/>", "<UnknownAccount/>", "<b:UnknownAccount><b:wrong/></b:UnknownAccount>", ""])
    func otherDetail(detail: String) async throws {
        let error = await fault(
            "<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring><detail>\(detail)</detail></s:Fault>")
        #expect(error is SOAPFault)
    }

    @Test(
        "Codes are read with dots, in other namespaces, and with undeclared prefixes",
        arguments: [
            ("s:Server", SOAPFaultCode.receiver), ("s:MustUnderstand", .mustUnderstand),
            ("s:VersionMismatch", .versionMismatch), ("b:Client", .other(XMLName("Client", in: bankNamespace))),
            ("s:Client.Authentication", .other(XMLName("Client.Authentication", in: SOAPVersion.soap11.namespace))),
            ("Client", .other(XMLName("Client"))), ("  s:Client\n", .sender),
        ])
    func codes(text: String, code: SOAPFaultCode) async throws {
        let error = await fault("<s:Fault><faultcode>\(text)</faultcode><faultstring/></s:Fault>")
        #expect((error as? SOAPFault)?.code == code)
        #expect(SOAPFaultCode(code.name(in: .soap11), in: .soap11) == code)
    }

    @Test(
        "A fault without required parts is malformed",
        arguments: [
            ("<s:Fault/>", SOAPVersion.soap11), ("<s:Fault><s:Code/></s:Fault>", .soap12), ("<s:Fault/>", .soap12),
        ])
    func incomplete(body: String, version: SOAPVersion) async throws {
        guard case .malformedEnvelope(.incompleteFault) = await fault(body, version) as? SOAPClientError else {
            Issue.record("\(body)")
            return
        }
    }
}
