// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

extension LabServer.Kind {
    // MARK: Bodies

    /// The body for range requests.
    static let rangedBody = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    /// The requested range of ``rangedBody``, as in a Range field (RFC 9110 section 14.1.2).
    static let requestedRange = "10-19"
    /// The bytes of ``rangedBody`` in the requested range.
    private static let rangedPart = "ABCDEFGHIJ"
    /// The body of the slow server.
    static let slowText = String(repeating: ".", count: 15_000)

    // MARK: HTTP

    static let httpKinds: [Self] = [
        .redirect, .redirectRelative, .redirectElsewhere, .redirectToFile, .redirectToPlainHTTP, .endlessRedirect,
        .cookie, .cookieForPath, .cookieForOthers, .cookieRemoved, .range, .gzip, .deflate, .chunked, .interim,
        .slowBody,
    ]

    /// A server that sends redirects with the statuses 301, 302, 303, 307 and 308 until the resource is reached.
    public static let redirect = http(
        "redirect", "a sequence of redirects to the resource: 301, 302, 303, 307 and 308", path: "/moved/301")

    /// A server that sends a redirect to a relative reference with dot segments.
    public static let redirectRelative = http(
        "redirect-relative", "a redirect to a relative reference with dots in it", path: "/moved/relative")

    /// A server that requires Basic authentication, and redirects to another server, which must not get the password.
    public static let redirectElsewhere = guarded(
        "redirect-elsewhere", .basic, "401 with Basic, and a redirect to a server that must not get the password"
    ) { _ in
        Self.basicGate()
    }.leading(to: "/protected/elsewhere")

    /// A server that sends a redirect to a local file.
    public static let redirectToFile = http(
        "redirect-to-file", "a redirect to a local file", path: "/moved/file", expect: .redirectRefused,
        code: "redirect.invalid")

    /// A server that sends a redirect from https to http.
    public static let redirectToPlainHTTP = Self(
        rawValue: "redirect-to-plain-http", group: .http, presents: "a redirect from https to http",
        expectation: .redirectRefused, failureCode: "redirect.to-plain-http", path: "/moved/plain-http")

    /// A server that sends an endless sequence of redirects.
    public static let endlessRedirect = http(
        "endless-redirect", "an endless sequence of redirects", path: "/endless/0", expect: .tooManyRedirects,
        code: "redirect.too-many")

    /// A server that sets a cookie, and redirects to a resource that requires it.
    public static let cookie = http(
        "cookie", "a cookie, and a redirect to a resource that needs it", path: "/cookie/set", needs: [.cookies])

    /// A server that sets a cookie for another path, which the client must not send back.
    public static let cookieForPath = http(
        "cookie-for-path", "a cookie for another path, which must not come back", path: "/cookie/path",
        needs: [.cookies])

    /// A server that sets a cookie for another domain, which the client must not store.
    public static let cookieForOthers = http(
        "cookie-for-others", "a cookie for another domain, which must not come back", path: "/cookie/domain",
        needs: [.cookies])

    /// A server that sets a cookie, and then removes it.
    public static let cookieRemoved = http(
        "cookie-removed", "a cookie, and then its removal", path: "/cookie/remove", needs: [.cookies])

    /// A server that supports range requests.
    public static let range = http(
        "range", "a body for range requests", path: "/range", needs: [.range], body: rangedPart)

    /// A server that sends a gzip body.
    public static let gzip = http("gzip", "a body in gzip", path: "/gzip", needs: [.compression])

    /// A server that sends a deflate body.
    public static let deflate = http("deflate", "a body in deflate", path: "/deflate", needs: [.compression])

    /// A server that sends a body in many chunks.
    public static let chunked = http("chunked", "a body in many chunks", path: "/chunks")

    /// A server that sends two interim responses before the final one.
    public static let interim = http("interim", "two interim responses before the final one", path: "/interim")

    /// A server that takes a second and a half to send a body.
    public static let slowBody = http(
        "slow-body", "a body that is sent slowly, in a second and a half", path: "/slow", body: slowText)

    // MARK: Faults

    static let faultKinds: [Self] = [
        .truncatedBody, .truncatedChunks, .truncatedGzip, .wrongChecksum, .malformedGzip, .closed, .reset,
        .malformedStatusLine, .twoLengths, .lengthAndChunks, .negativeLength, .overflowingLength, .malformedChunk,
        .endlessField, .endlessInterim, .oldHTTP, .carriageReturn,
    ]

    /// A server that sends half of the body that its Content-Length announces.
    public static let truncatedBody = Self(
        rawValue: "truncated-body", group: .faults, presents: "half of the announced body",
        expectation: .truncated, failureCode: "body.truncated", path: "/truncated", scheme: .http, tls: nil)

    /// A server that sends a chunked body without the last chunk.
    public static let truncatedChunks = fault(
        "truncated-chunks", "cut-off-chunk", "a truncated body in chunks", "body.truncated", expect: .truncated)

    /// A server that sends a truncated gzip body.
    public static let truncatedGzip = fault(
        "truncated-gzip", "truncated-gzip", "a truncated body in gzip", "body.malformed-content-coding",
        expect: .truncated, needs: [.compression])

    /// A server that sends a gzip body with a wrong checksum.
    public static let wrongChecksum = fault(
        "wrong-checksum", "gzip-with-wrong-checksum", "a body in gzip with a wrong checksum",
        "body.malformed-content-coding", needs: [.compression])

    /// A server that sends a body that is not gzip, with the content coding gzip.
    public static let malformedGzip = fault(
        "malformed-gzip", "rubbish-gzip", "a body with the content coding gzip that is not gzip",
        "body.malformed-content-coding",
        needs: [.compression])

    /// A server that closes the connection without a response.
    public static let closed = fault("closed", "closed", "no response: the connection is closed", "connection.lost")

    /// A server that resets the connection without a response.
    public static let reset = fault("reset", "reset", "no response: the connection is reset", "connection.lost")

    /// A server that sends a malformed status line.
    public static let malformedStatusLine = fault(
        "malformed-status-line", "rubbish-status-line", "a malformed status line", "response.malformed")

    /// A server that sends two Content-Length fields with different values.
    public static let twoLengths = fault(
        "two-lengths", "two-lengths", "two different lengths of the body", "response.malformed")

    /// A server that sends a Content-Length field with a chunked body.
    public static let lengthAndChunks = fault(
        "length-and-chunks", "length-and-chunks", "a length and chunks", "response.malformed")

    /// A server that sends a negative Content-Length.
    public static let negativeLength = fault(
        "negative-length", "negative-length", "a negative length", "response.malformed")

    /// A server that sends a Content-Length of 2^64.
    public static let overflowingLength = fault(
        "overflowing-length", "overflowing-length", "a length of 2 to the 64th", "response.malformed")

    /// A server that sends a chunk size that is not a number.
    public static let malformedChunk = fault(
        "malformed-chunk", "rubbish-chunk", "a chunk whose size is not a number", "response.malformed")

    /// A server that sends an endless header field.
    public static let endlessField = fault(
        "endless-field", "endless-field", "an endless header field", "limit.head-size")

    /// A server that sends endless interim responses.
    public static let endlessInterim = fault(
        "endless-interim", "endless-interim", "endless interim responses", "response.malformed")

    /// A server that sends a body without a header block, as in HTTP/0.9.
    public static let oldHTTP = fault(
        "http-0.9", "http-0.9", "a body without a header block, as in HTTP/0.9", "response.malformed")

    /// A server that sends a bare CR in a header field.
    public static let carriageReturn = fault(
        "carriage-return", "bare-cr", "a bare CR in a header field", "response.malformed")
}
