// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import SOAPClients
import Testing

/// Tests of the rules for statuses, media types and envelopes.
@Suite struct ResponseTests {
    enum Outcome: String, Sendable { case result, fault, unexpectedStatus, unexpectedMediaType, noEnvelope, mismatch }

    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let type: String?
        let body: String
        let outcome: Outcome
        var version = SOAPVersion.soap11
        var testDescription: String { "\(status) \(type ?? "-") \(version) \(body.prefix(20)): \(outcome)" }
    }

    private static let fault11 = envelope(
        "<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault>")
    private static let fault12 = envelope(
        "<s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason><s:Text>no</s:Text></s:Reason></s:Fault>",
        version: .soap12)

    static let rows: [Row] = [
        Row(status: 200, type: "text/xml", body: envelope(balanceBody), outcome: .result),
        Row(status: 200, type: "Text/XML; charset=\"UTF-8\"", body: envelope(balanceBody), outcome: .result),
        Row(status: 200, type: "application/xml", body: envelope(balanceBody), outcome: .result),
        Row(status: 200, type: nil, body: envelope(balanceBody), outcome: .result),
        Row(status: 202, type: "text/xml", body: envelope(balanceBody), outcome: .result),
        Row(
            status: 200, type: "application/soap+xml", body: envelope(balanceBody, version: .soap12), outcome: .result,
            version: .soap12),
        Row(status: 500, type: "text/xml", body: fault11, outcome: .fault),
        Row(status: 400, type: "text/xml", body: fault11, outcome: .fault),
        Row(status: 200, type: "text/xml", body: fault11, outcome: .fault),
        Row(status: 400, type: "application/soap+xml", body: fault12, outcome: .fault, version: .soap12),
        Row(status: 500, type: "application/soap+xml", body: fault12, outcome: .fault, version: .soap12),
        // A receiver that does not support the version responds with its own version (SOAP 1.2 Part 1 appendix A).
        Row(status: 500, type: "text/xml", body: fault11, outcome: .fault, version: .soap12),
        Row(status: 500, type: "text/xml", body: envelope(balanceBody), outcome: .unexpectedStatus),
        Row(status: 500, type: "text/html", body: "<html>", outcome: .unexpectedStatus),
        Row(status: 404, type: "text/html", body: "<html>", outcome: .unexpectedStatus),
        Row(status: 401, type: nil, body: "", outcome: .unexpectedStatus),
        // A login page is not a SOAP message, whatever its media type.
        Row(status: 401, type: nil, body: "log in", outcome: .unexpectedStatus),
        Row(status: 401, type: "text/xml", body: "<error/>", outcome: .unexpectedStatus),
        Row(status: 502, type: "text/xml", body: "bad gateway", outcome: .unexpectedStatus),
        Row(status: 503, type: "text/xml", body: "", outcome: .unexpectedStatus),
        Row(status: 304, type: nil, body: "", outcome: .unexpectedStatus),
        Row(status: 200, type: "text/html", body: "<html>", outcome: .unexpectedMediaType),
        Row(status: 200, type: "application/json", body: "{}", outcome: .unexpectedMediaType),
        Row(status: 200, type: "text/plain", body: "", outcome: .noEnvelope),
        Row(status: 200, type: "text/xml", body: "", outcome: .noEnvelope),
        Row(status: 204, type: nil, body: "", outcome: .noEnvelope),
        Row(status: 202, type: nil, body: "", outcome: .noEnvelope),
        Row(
            status: 200, type: "application/soap+xml", body: envelope(balanceBody, version: .soap12), outcome: .mismatch
        ),
        Row(status: 200, type: "text/xml", body: envelope(balanceBody), outcome: .mismatch, version: .soap12),
    ]

    @Test("Status, media type and envelope determine the outcome of a call", arguments: rows)
    func statuses(row: Row) async throws {
        let service = StandIn(.init(code: row.status), type: row.type, row.body)
        let client = SOAPClient(service, row.version)
        #expect(
            await outcome { _ = try await client.call(AccountService.balance, Balance(account: "1")) } == row.outcome)
    }

    @Test(
        "A one-way call accepts every successful status, with or without a body",
        arguments: [
            (200, nil, "", Outcome.result), (201, nil, "", .result), (202, "text/xml", "", .result),
            (204, nil, "", .result), (202, "text/html", "<html>", .result), (200, "text/xml", envelope(""), .result),
            (200, "text/xml", envelope(balanceBody), .result),
            (500, "text/xml", fault11, .fault), (400, nil, "", .unexpectedStatus),
            (502, "text/html", "<html>", .unexpectedStatus),
        ] as [(Int, String?, String, Outcome)])
    func oneWay(status: Int, type: String?, body: String, expected: Outcome) async throws {
        let bank = AccountService(session: StandIn(.init(code: status), type: type, body))
        #expect(await outcome { try await bank.note(Note(text: "x")) } == expected)
    }

    private func outcome(_ body: () async throws -> Void) async -> Outcome? {
        do {
            try await body()
            return .result
        } catch is SOAPFault {
            return .fault
        } catch let error as SOAPClientError {
            switch error {
            case .unexpectedStatus: return .unexpectedStatus
            case .unexpectedMediaType: return .unexpectedMediaType
            case .noEnvelope: return .noEnvelope
            case .versionMismatch: return .mismatch
            default: return nil
            }
        } catch {
            return nil
        }
    }

    @Test("The error for an error page quotes its beginning without secrets") func excerpt() async throws {
        let service = StandIn(.badGateway, type: "text/html", "<html>down for repair: token=secret")
        let error = await clientError { try await SOAPClient(service).call(AccountService.ping, SOAPEmptyBody()) }
        guard case .unexpectedStatus(let summary) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(summary.text == "<html>down for repair: token=secret")
        #expect(error?.description.contains("The body begins: \"down for repair:…\".") == true)
    }

    @Test(
        "A byte order mark overrides HTTP's charset, which overrides the document's",
        arguments: [
            ("iso-8859-1", "ISO-8859-1", [0xE4]), ("ISO-8859-1", "utf-8", [0xE4]), ("utf-8", "utf-8", [0xC3, 0xA4]),
            ("utf-8", "iso-8859-1", [0xC3, 0xA4]), (nil, "iso-8859-1", [0xE4]), ("iso-8859-15", "utf-8", [0xE4]),
            ("windows-1252", "utf-8", [0xE4]),
        ] as [(String?, String, [UInt8])])
    func charsets(charset: String?, declared: String, character: [UInt8]) async throws {
        let parts = envelope(
            "<b:BalanceResponse><b:amount>1</b:amount><b:text>@</b:text></b:BalanceResponse>"
        ).split(separator: "@")
        let bytes =
            Array("<?xml version=\"1.0\" encoding=\"\(declared)\"?>\(parts[0])".utf8) + character + Array(parts[1].utf8)
        let service = StandIn(type: "text/xml" + (charset.map { "; charset=\($0)" } ?? ""), bytes: bytes)
        let bank = AccountService(session: service)
        #expect(try await bank.balance(Balance(account: "1")).text == "ä")
    }

    @Test(
        "UTF-16 is read with a byte order mark or by its name", arguments: [true, false], ["utf-16", "utf-16le", nil])
    func utf16(hasMark: Bool, charset: String?) async throws {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + envelope(balanceBody)
        let bytes = ((hasMark ? "\u{FEFF}" : "") + text).utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
        }
        let service = StandIn(type: "text/xml" + (charset.map { "; charset=\($0)" } ?? ""), bytes: bytes)
        #expect(try await AccountService(session: service).balance(Balance(account: "1")).amount == 42)
    }

    @Test("An unknown charset is refused with its name") func unknownCharset() async throws {
        for charset in ["x\"y", "no-such-charset"] {
            let field = MediaTypeField.field("text/xml", charset: charset)
            let service = StandIn(type: field, envelope(balanceBody))
            await #expect(throws: SOAPClientError.self) {
                try await AccountService(session: service).balance(Balance(account: "1"))
            }
        }
    }

    private enum MediaTypeField {
        static func field(_ type: String, charset: String) -> String {
            "\(type); charset=\"\(charset.replacing("\"", with: "\\\""))\""
        }
    }

    @Test("The error for an unexpected Body names the received element") func unexpectedBody() async throws {
        let expected = XMLName("BalanceResponse", in: bankNamespace)
        for (body, found) in [
            ("", []), ("<b:Other/>", [XMLName("Other", in: bankNamespace)]),
            (balanceBody + balanceBody, [expected, expected]), ("<BalanceResponse/>", [XMLName("BalanceResponse")]),
        ] {
            let error = await clientError {
                try await AccountService(session: StandIn(envelope(body))).balance(Balance(account: "1"))
            }
            guard case .unexpectedBody("Balance", expected, found) = error else {
                Issue.record("\(body): \(String(describing: error))")
                continue
            }
        }
    }

    @Test(
        "A malformed envelope is refused",
        arguments: [
            "<html/>", "<Envelope/>", "no XML", "<!DOCTYPE a [<!ENTITY b \"c\">]>" + envelope(balanceBody),
            "<s:Envelope xmlns:s=\"\(SOAPVersion.soap11.namespace)\"/>",
            envelope(balanceBody).replacing("s:Body", with: "s:Other"),
            // Another reader could use the second Body.
            envelope(balanceBody).replacing("</s:Body>", with: "</s:Body><s:Body/>"),
            envelope("").replacing("<s:Body>", with: "<s:Body/><s:Header/><s:Body>"),
            envelope(String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)),
        ])
    func malformed(text: String) async throws {
        await #expect(throws: SOAPClientError.self) {
            try await AccountService(session: StandIn(text)).balance(Balance(account: "1"))
        }
    }

    @Test("A response that is larger than the limit is refused") func tooLarge() async throws {
        let service = StandIn(envelope(balanceBody))
        let client = SOAPClient(service) { $0.options.documentLimits.maximumByteCount = 100 }
        let error = await clientError { try await client.call(AccountService.balance, Balance(account: "1")) }
        guard case .responseTooLarge(100) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("The error for an unreadable value names its path") func unreadable() async throws {
        let body = "<b:BalanceResponse><b:amount>many</b:amount></b:BalanceResponse>"
        let error = await clientError {
            try await AccountService(session: StandIn(envelope(body))).balance(Balance(account: "1"))
        }
        guard case .unreadable("Balance", let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.place.path == "Envelope/Body/BalanceResponse/amount")
    }

    @Test("A mustUnderstand header is refused unless it is for another receiver, known or ignored")
    func mustUnderstand() async throws {
        let header = "<b:T s:mustUnderstand=\"1\"/>"
        let other = "<b:T s:mustUnderstand=\"1\" s:actor=\"urn:other\"/>"
        let next = "<b:T s:mustUnderstand=\"1\" s:actor=\"http://schemas.xmlsoap.org/soap/actor/next\"/>"
        for (header, known, ignores, isRefused) in [
            (header, false, false, true), (header, true, false, false), (header, false, true, false),
            (other, false, false, false), (next, false, false, true),
            ("<b:T s:mustUnderstand=\"0\"/>", false, false, false),
        ] {
            let client = SOAPClient(StandIn(envelope(balanceBody, header: header))) {
                $0.options.ignoresUnknownHeaders = ignores
                if known { $0.options.understoodHeaders = [XMLName("T", in: bankNamespace)] }
            }
            let error = await clientError { try await client.call(AccountService.balance, Balance(account: "1")) }
            if case .notUnderstood(let names) = error {
                #expect(isRefused && names == [XMLName("T", in: bankNamespace)])
            } else {
                #expect(!isRefused && error == nil, "\(header)")
            }
        }
    }
}
