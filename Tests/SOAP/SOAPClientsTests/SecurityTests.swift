// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Countersign
import NIOConcurrencyHelpers
import TestServer
import Testing
import WSSecurity
@testable import SOAPClients
import EssentialFoundation

/// Tests of calls with WS-Security.
@Suite struct SecurityTests {
    private let authority: CertificateAuthority
    private let customer: Identity
    private let bank: Identity

    init() throws {
        authority = try CertificateAuthority(name: "Bank Root", now: Date())
        customer = try authority.issue(.client(name: "customer"), now: Date())
        bank = try authority.issue(.client(name: "bank"), now: Date())
    }

    /// Returns a service that verifies each request, and signs its response.
    private func service(
        signing identity: Identity, change: @escaping @Sendable (String) -> String = { $0 }
    ) -> StandIn {
        let verifier = SOAPVerifier.anchors([authority.certificate])
        return StandIn { request, body in
            let verified = try await verifier.verify(Array(body.utf8))
            #expect(String(decoding: verified.envelope, as: UTF8.self).contains("account"))
            let answer = try await SOAPSigner.x509(identity).protect(Array(envelope(balanceBody).utf8))
            return try SessionResponse(
                to: request, headerFields: [.contentType: "text/xml"],
                body: .text(change(String(decoding: answer, as: UTF8.self))))
        }
    }

    private func account(_ service: StandIn) -> AccountService {
        AccountService(session: service, signer: .x509(customer), verifier: .anchors([authority.certificate]))
    }

    @Test("A signed request and its signed response are verified on both sides") func signed() async throws {
        let service = service(signing: bank)
        for _ in 0..<2 { #expect(try await account(service).balance(Balance(account: "1")).amount == 42) }
    }

    @Test("A response that was changed, or signed by another signer, is refused") func refused() async throws {
        let changed = service(signing: bank) { $0.replacing(">42<", with: ">43<") }
        await #expect(throws: WSSecurityError.self) { try await account(changed).balance(Balance(account: "1")) }
        let stranger = try CertificateAuthority(name: "Stranger", now: Date()).issue(.client(name: "s"), now: Date())
        let foreign = service(signing: stranger)
        await #expect(throws: WSSecurityError.self) { try await account(foreign).balance(Balance(account: "1")) }
        let unsigned = StandIn(envelope(balanceBody))
        await #expect(throws: WSSecurityError.self) { try await account(unsigned).balance(Balance(account: "1")) }
    }

    @Test("A replayed response is refused") func replayed() async throws {
        let first = NIOLockedValueBox<String?>(nil)
        let service = service(signing: bank) { answer in
            first.withLockedValue { first in
                first = first ?? answer
                return first ?? answer
            }
        }
        let account = account(service)
        _ = try await account.balance(Balance(account: "1"))
        await #expect(throws: WSSecurityError.replayed) { try await account.balance(Balance(account: "1")) }
    }

    @Test("A user's name and password are added, and the password is not logged") func usernameToken() async throws {
        let lines = LogLines()
        let service = StandIn(envelope(balanceBody))
        var account = AccountService(
            session: service,
            signer: .usernameToken(user: "customer", password: Secret("correct horse"), form: .text))
        account.client.interceptors = [SOAPLogging(lines.logger)]
        _ = try await account.balance(Balance(account: "1"))
        #expect(service.body.contains("correct horse"))
        #expect(lines.all.first?.contains("Security") == true)
        #expect(lines.all.allSatisfy { !$0.contains("correct horse") })
    }

    @Test("Attachments of a signed response belong to its Body, and a changed one is refused") func inlined()
        async throws
    {
        let inline = envelope("<b:ScanResponse><b:image>aGVsbG8=</b:image></b:ScanResponse>")
        let signed = try await SOAPSigner.x509(bank).protect(Array(inline.utf8))
        let include = "<x:Include xmlns:x=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:i\"/>"
        for (content, isTrusted) in [("hello", true), ("hullo", false)] {
            let root = String(decoding: signed, as: UTF8.self).replacing("aGVsbG8=", with: include)
            let text = "--b\r\n\r\n\(root)\r\n--b\r\nContent-ID: <i>\r\n\r\n\(content)\r\n--b--"
            let client = SOAPClient(StandIn(type: "multipart/related; boundary=b", text)) {
                $0.verifier = .anchors([authority.certificate])
            }
            do {
                let scan = try await client.call(AccountService.scan, Scan(image: []))
                #expect(try scan.image.bytes == Array("hello".utf8))
                #expect(isTrusted)
            } catch is WSSecurityError {
                #expect(!isTrusted)
            }
        }
    }
}
