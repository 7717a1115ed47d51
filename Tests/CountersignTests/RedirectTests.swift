// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Testing

@testable import Countersign

@Suite struct RedirectTests {
    private static func request(_ method: HTTPRequest.Method) -> Request {
        Request(
            url: "https://a.test/", method: method,
            headerFields: [
                .authorization: "Bearer t", .cookie: "s=1", .accept: "text/html", .contentType: "text/plain",
                .apiKey: "k",
            ], body: .bytes([1]))
    }

    @Test(
        "The status decides whether the redirected request keeps its method and body",
        arguments: [
            (method: HTTPRequest.Method.post, status: HTTPResponse.Status.found, becomes: HTTPRequest.Method.get),
            (method: .post, status: .movedPermanently, becomes: .get),
            (method: .put, status: .seeOther, becomes: .get),
            (method: .head, status: .seeOther, becomes: .head),
            (method: .put, status: .found, becomes: .put),
            (method: .post, status: .temporaryRedirect, becomes: .post),
            (method: .post, status: .permanentRedirect, becomes: .post),
        ])
    func methods(
        method: HTTPRequest.Method, status: HTTPResponse.Status, becomes: HTTPRequest.Method
    ) throws {
        let url = try HTTPURL("https://a.test/")
        let next = Self.request(method).redirected(to: url, from: url, by: status)
        #expect(next.method == becomes)
        #expect((next.body == nil) == (method != becomes))
    }

    @Test(
        "Credential fields are removed when the origin changes",
        arguments: [
            (to: "https://a.test/other", keeps: true),
            (to: "https://a.test:444/", keeps: false),
            (to: "http://a.test/", keeps: false),
            (to: "https://b.test/", keeps: false),
        ])
    func credentials(to: String, keeps: Bool) throws {
        let next = Self.request(.get).redirected(
            to: try HTTPURL(to), from: try HTTPURL("https://a.test/"), by: .found)
        for name in [HTTPField.Name.authorization, .cookie, .apiKey] {
            #expect((next.headerFields[name] != nil) == keeps)
        }
        #expect(next.headerFields[.accept] == "text/html")
    }

    @Test("The error for a redirect loop lists its URLs in order") func loop() throws {
        var trail = RedirectHistory(from: try HTTPURL("http://a.test/1"), method: .get, limit: 20)
        try trail.follow(to: HTTPURL("http://a.test/2"), method: .get)
        do {
            try trail.follow(to: HTTPURL("http://a.test/1"), method: .get)
            Issue.record("followed a loop")
        } catch SessionError.redirect(.loop(let urls)) {
            #expect(urls == ["http://a.test/1", "http://a.test/2", "http://a.test/1"])
        }
    }

    @Test("A POST may be redirected to a GET of the same URL") func formToPage() throws {
        let url = try HTTPURL("http://a.test/")
        var trail = RedirectHistory(from: url, method: .post, limit: 20)
        try trail.follow(to: url, method: .get)
        #expect(throws: SessionError.self) { try trail.follow(to: url, method: .get) }
    }

    @Test("Redirects are followed up to the limit") func limit() throws {
        var trail = RedirectHistory(from: try HTTPURL("http://a.test/0"), method: .get, limit: 20)
        for number in 1...20 {
            try trail.follow(to: HTTPURL("http://a.test/\(number)"), method: .get)
        }
        #expect(throws: SessionError.self) { try trail.follow(to: HTTPURL("http://a.test/21"), method: .get) }
    }
}
