// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import ErrorExplanations
import HTTPTypes
import Testing
@testable import Countersign
import EssentialFoundation

@Suite struct SessionErrorTests {
    private static func peer(_ role: SessionError.Peer.Role) throws -> SessionError.Peer {
        SessionError.Peer(HostEndpoint(host: try HostName("a.test"), port: 443), role: role)
    }

    @Test("An error has the same text as a description, as a localized error and in its parts")
    func localizedError() throws {
        let error = SessionError.connection(.cannotConnect(try Self.peer(.origin), .refused))
        let parts: any LocalizedError = error
        #expect(parts.errorDescription == "a.test:443 refused the connection.")
        #expect(parts.failureReason == "No program listens on that port, or a firewall rejects the connection.")
        #expect(parts.recoverySuggestion == "Check the port and that the server is running.")
        #expect(error.code == "connection.refused")
        #expect(error.explanation.stage == "connection")
        let text = [parts.errorDescription, parts.failureReason, parts.recoverySuggestion].compactMap(\.self)
        #expect("\(error)" == text.joined(separator: " "))
    }

    @Test(
        "A failed handshake is explained by the library's name for the reason",
        arguments: [
            ("", "tls.no-reason"), ("UNKNOWN", "tls.no-reason"), ("UNSUPPORTED_PROTOCOL", "tls.no-common-version"),
            ("NO_SHARED_CIPHER", "tls.no-common-parameters"), ("BAD_DECRYPT", "tls.handshake-failed"),
        ])
    func handshakes(reason: String, code: String) throws {
        let error = SessionError.tls(.handshakeFailed(try Self.peer(.origin), reason, alternative: nil))
        #expect(error.code == code)
        if reason.count > 7 { #expect(error.explanation.message.contains(reason)) }
    }

    @Test("Every alert has a name or a number, a meaning and advice", arguments: UInt8.min...UInt8.max)
    func alerts(number: UInt8) throws {
        let alert = SessionError.TLSAlert(rawValue: number)
        let explanation = SessionError.tls(.alertReceived(try Self.peer(.origin), alert, alternative: nil)).explanation
        #expect(explanation.message.contains("\(alert)"))
        #expect((explanation.code == "tls.unnamed-alert") == "\(alert)".hasPrefix("alert "))
        #expect(!explanation.reason.isEmpty && !explanation.advice.isEmpty)
    }

    @Test("A message about a proxy calls it a proxy") func proxies() throws {
        let proxy = try Self.peer(.proxy)
        let errors: [SessionError] = [
            .connection(.cannotResolve(proxy)), .connection(.cannotConnect(proxy, .refused)),
            .connection(.cannotConnect(proxy, .timedOut(after: nil))), .connection(.lost(proxy, .handshake)),
            .tls(.notTLS(proxy)),
            .tls(.alertReceived(proxy, .init(rawValue: 123), alternative: nil)),
            .tls(.alertReceived(proxy, .init(rawValue: 112), alternative: nil)),
            .tls(.handshakeFailed(proxy, "UNSUPPORTED_PROTOCOL", alternative: nil)),
            .tls(.libraryUnavailable(proxy, .openSSL, version: nil)), .trust(.malformedCertificate(proxy)),
            .tls(.renegotiationRequired(proxy)), .response(.malformed(proxy, .statusLine)),
            .limit(.headTooLarge(proxy, limit: 1)),
            .limit(.timedOut(proxy, .response, after: .seconds(1), setting: .idle)),
            .limit(.timedOut(proxy, .response, after: .seconds(1), setting: .response)),
            .limit(.timedOut(proxy, .total, after: .seconds(1), setting: .total)),
            .body(.truncated(proxy, received: 1, expected: 2)),
            .request(.plainHTTPForbidden(proxy)), .connection(.httpVersionNotOffered(proxy, .onlyHTTP1)),
            .proxy(.malformedSOCKS(proxy.endpoint, .excess)),
            .proxy(
                .refused(
                    proxy.endpoint, destination: try Self.peer(.origin).endpoint, status: 403,
                    unansweredCertificateRequest: nil)),
        ]
        for error in errors {
            #expect(error.explanation.message.lowercased().contains("the proxy a.test:443"), "\(error)")
            #expect(error.peer == proxy, "\(error)")
        }
    }

    @Test("No representation of an error contains a secret of a URL") func secrets() {
        let url = "https://a.test/?token=hunter2"
        let page = ResponseSummary(status: .notFound, url: url, beginning: Array("hunter2".utf8))
        let errors: [SessionError] = [
            .request(.invalidURL(url, .port)), .redirect(.loop([url, url])), .redirect(.refused(from: url, to: url)),
            .redirect(.toPlainHTTP(from: url, to: url)), .redirect(.invalid(from: url, location: url)),
            .response(.unexpectedStatus(page)), .response(.unexpectedContentType(page)),
            .response(.undecodableBody(page, as: "Item", CancellationError())), .response(.downloadRefused(page)),
            .response(.wrongContentRange(url, offset: nil, field: nil)), .body(.notRepeatable(url)),
        ]
        let stages: [any ExplainedError] = [
            RequestError.invalidURL(url, .port), ResponseError.unexpectedStatus(page), RedirectError.loop([url, url]),
            BodyError.notRepeatable(url), ProxyError.invalidException(url),
        ]
        for error in errors as [any ExplainedError] + stages {
            var dumped = ""
            dump(error, to: &dumped)
            for text in ["\(error)", String(reflecting: error), dumped, error.errorDescription ?? ""] {
                #expect(!text.contains("hunter2"), "\(text)")
            }
        }
    }

    @Test("The explanation of an example has three parts", arguments: SessionError.examples.map(\.explanation))
    func examples(explanation: ErrorExplanation) {
        for text in [explanation.message, explanation.reason, explanation.advice] { #expect(text.hasSuffix(".")) }
    }
}
