// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite("The output of --write-out") struct WriteOutTests {
    @Test(
        "Variables, escapes and fields are replaced",
        arguments: [
            ("%{http_code}\\n", "404\n"), ("a%%b\\tc\\q", "a%b\tc\\q"), ("%{size_download} %{num_redirects}", "7 0"),
            ("%{content_type}|%{filename_effective}|%{redirect_url}", "text/plain||"),
            ("%header{x-a},%header{none}", "1,"),
            ("%{url} %{url_effective} %{urlnum}", "http://a.test http://a.test/ 2"),
            ("%{method} %{scheme} %{http_version}", "GET HTTP 1.1"),
            ("%{exitcode} %{errormsg}", "1 Standard output was closed."),
            ("%{header_json}", "{\"content-type\":[\"text/plain\"],\n\"x-a\":[\"1\",\"\\\"2\"]}"),
            ("%{onerror}x", "x"), ("%", "%"), ("100%", "100%"), ("%{time_redirect}", "0.000000"),
            ("%{remote_port}", "80"),
        ])
    func text(format: String, printed: String) throws {
        #expect(WriteOutText(try WriteOutFormat(format), Self.facts).output == printed)
    }

    @Test("%{stderr} and %{stdout} choose the output of the rest") func destinations() throws {
        let text = WriteOutText(try WriteOutFormat("a%{stderr}b%{stdout}c"), Self.facts)
        #expect(text.output == "ac")
        #expect(text.errors == "b")
    }

    @Test("%{json} has every variable, numbers as numbers") func json() throws {
        let text = WriteOutText(try WriteOutFormat("%{json}"), Self.facts).output
        #expect(
            text.hasPrefix(
                "{\"content_type\":\"text/plain\",\"errormsg\":\"Standard output was closed.\",\"exitcode\":1,"))
        #expect(text.contains("\"http_code\":404"))
        #expect(text.contains("\"redirect_url\":null"))
    }

    @Test(
        "URLs are printed without users, passwords and secret parameters",
        arguments: ["%{json}", "%{url}", "%{url_effective}", "%{redirect_url}", "%{referer}"])
    func secrets(format: String) throws {
        let url = "http://mary:hunter2@a.test/?token=hunter3&page=1"
        let endpoint = try HostEndpoint(of: url)
        var facts = TransferMetrics(
            number: 0, url: url, method: .get, referer: url, start: .now, redirects: RedirectHistory())
        facts.response = SessionResponse(
            status: .found, headerFields: [.location: url], url: url,
            connection: ConnectionReport(endpoint: endpoint, opening: ConnectionOpening()))
        let text = WriteOutText(try WriteOutFormat(format), facts).output
        #expect(!text.contains("hunter"))
        #expect(text.contains("page=1"))
        facts.showsSecrets = true
        let shown = WriteOutText(try WriteOutFormat(format), facts).output
        #expect(shown.contains("token=hunter3") && !shown.contains("hunter2"))
    }

    @Test("The text after %{onerror} is not printed after a success") func onError() throws {
        var facts = Self.facts
        facts.status = .done
        #expect(WriteOutText(try WriteOutFormat("a%{onerror}b"), facts).output == "a")
    }

    @Test(
        "An unknown variable is refused with the nearest name",
        arguments: [
            ("%{htp_code}", "there is no variable %{htp_code}", "http_code"),
            ("%{nothing_like_it}", "there is no variable %{nothing_like_it}", nil),
            ("%{http_code", "%{ has no }", nil), ("%header{a b}", "\"a b\" is no field", nil),
        ] as [(String, String, String?)])
    func refused(format: String, reason: String, nearest: String?) {
        #expect(throws: UsageError.writeOut(reason, nearest: nearest)) { try WriteOutFormat(format) }
    }

    private static var facts: TransferMetrics {
        let start = ContinuousClock.now
        var facts = TransferMetrics(
            number: 2, url: "http://a.test", method: .get, referer: nil, start: start, redirects: RedirectHistory())
        if let endpoint = try? HostEndpoint(of: "http://a.test/"), let name = HTTPField.Name("X-A") {
            facts.response = SessionResponse(
                status: .notFound, headerFields: [.contentType: "text/plain", name: "1", name: "\"2"],
                url: "http://a.test/",
                connection: ConnectionReport(endpoint: endpoint, opening: ConnectionOpening()))
        }
        facts.received = 7
        facts.failure = Failure(OutputClosed())
        facts.status = .failed
        return facts
    }
}
