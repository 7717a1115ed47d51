// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

extension LabServer.Kind {
    // MARK: Bodies

    /// A body of which a client asks for a part.
    static let rangedBody = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    /// The range of ``rangedBody`` that is asked for, as it stands in a Range field (RFC 9110 section 14.1.2).
    static let requestedRange = "10-19"
    /// The part of ``rangedBody`` in the range.
    private static let rangedPart = "ABCDEFGHIJ"
    /// The body of the slow server.
    static let slowText = String(repeating: ".", count: 15_000)

    // MARK: HTTP

    static let httpKinds: [Self] = [
        .redirect, .redirectRelative, .redirectElsewhere, .redirectToFile, .redirectToPlainHTTP, .endlessRedirect,
        .cookie, .cookieForPath, .cookieForOthers, .cookieRemoved, .range, .gzip, .deflate, .chunked, .interim,
        .slowBody,
    ]

    /// Presents a redirect to a redirect to the resource: 301, 302, 303, 307 and 308.
    public static let redirect = http(
        "redirect", "a redirect to a redirect to the resource: 301, 302, 303, 307 and 308", path: "/moved/301")

    /// Presents a redirect to a relative reference with dots in it.
    public static let redirectRelative = http(
        "redirect-relative", "a redirect to a relative reference with dots in it", path: "/moved/relative")

    /// Presents 401 with Basic, and a redirect to a server that must not get the password.
    public static let redirectElsewhere = guarded(
        "redirect-elsewhere", .basic, "401 with Basic, and a redirect to a server that must not get the password"
    ) { _ in
        Self.basicGate()
    }.leading(to: "/protected/elsewhere")

    /// Presents a redirect to a local file.
    public static let redirectToFile = http(
        "redirect-to-file", "a redirect to a local file", path: "/moved/file", expect: .redirectRefused,
        code: "redirect.invalid")

    /// Presents a redirect from https to http.
    public static let redirectToPlainHTTP = Self(
        rawValue: "redirect-to-plain-http", group: .http, presents: "a redirect from https to http",
        expectation: .redirectRefused, failureCode: "redirect.to-plain-http", path: "/moved/plain-http")

    /// Presents a redirect to a redirect to a redirect.
    public static let endlessRedirect = http(
        "endless-redirect", "a redirect to a redirect to a redirect", path: "/endless/0", expect: .tooManyRedirects,
        code: "redirect.too-many")

    /// Presents a cookie, and a redirect to a resource that needs it.
    public static let cookie = http(
        "cookie", "a cookie, and a redirect to what needs it", path: "/cookie/set", needs: [.cookies])

    /// Presents a cookie for another path, which must not come back.
    public static let cookieForPath = http(
        "cookie-for-path", "a cookie for another path, which must not come back", path: "/cookie/path",
        needs: [.cookies])

    /// Presents a cookie for another domain, which must not come back.
    public static let cookieForOthers = http(
        "cookie-for-others", "a cookie for another domain, which must not come back", path: "/cookie/domain",
        needs: [.cookies])

    /// Presents a cookie, and then its removal.
    public static let cookieRemoved = http(
        "cookie-removed", "a cookie, and then its removal", path: "/cookie/remove", needs: [.cookies])

    /// Presents a body of which a part is asked for.
    public static let range = http(
        "range", "a body of which a part is asked for", path: "/range", needs: [.range], body: rangedPart)

    /// Presents a body in gzip.
    public static let gzip = http("gzip", "a body in gzip", path: "/gzip", needs: [.compression])

    /// Presents a body in deflate.
    public static let deflate = http("deflate", "a body in deflate", path: "/deflate", needs: [.compression])

    /// Presents a body in many chunks.
    public static let chunked = http("chunked", "a body in many chunks", path: "/chunks")

    /// Presents two interim responses before the final one.
    public static let interim = http("interim", "two interim responses before the final one", path: "/interim")

    /// Presents a body that is sent slowly, within a second and a half.
    public static let slowBody = http(
        "slow-body", "a body that drips for a second and a half", path: "/slow", body: slowText)

    // MARK: Faults

    static let faultKinds: [Self] = [
        .truncatedBody, .truncatedChunks, .truncatedGzip, .wrongChecksum, .malformedGzip, .closed, .reset,
        .malformedStatusLine, .twoLengths, .lengthAndChunks, .negativeLength, .overflowingLength, .malformedChunk,
        .endlessField, .endlessInterim, .oldHTTP, .carriageReturn,
    ]

    /// Presents half of the body that the head announces.
    public static let truncatedBody = Self(
        rawValue: "truncated-body", group: .faults, presents: "half of the body that it promised",
        expectation: .truncated, failureCode: "body.truncated", path: "/truncated", scheme: .http, tls: nil)

    /// Presents a body in chunks without its end.
    public static let truncatedChunks = fault(
        "truncated-chunks", "cut-off-chunk", "a body in chunks without its end", "body.truncated", expect: .truncated)

    /// Presents a body in gzip without its end.
    public static let truncatedGzip = fault(
        "truncated-gzip", "truncated-gzip", "a body in gzip without its end", "body.malformed-content-coding",
        expect: .truncated, needs: [.compression])

    /// Presents a body in gzip with a wrong checksum.
    public static let wrongChecksum = fault(
        "wrong-checksum", "gzip-with-wrong-checksum", "a body in gzip with a wrong checksum",
        "body.malformed-content-coding", needs: [.compression])

    /// Presents a body that is not gzip, with the content coding gzip.
    public static let malformedGzip = fault(
        "malformed-gzip", "rubbish-gzip", "a body that is called gzip and is not", "body.malformed-content-coding",
        needs: [.compression])

    /// Closes the connection without a response.
    public static let closed = fault("closed", "closed", "no response: the connection is closed", "connection.lost")

    /// Resets the connection without a response.
    public static let reset = fault("reset", "reset", "no response: the connection is reset", "connection.lost")

    /// Presents a malformed status line.
    public static let malformedStatusLine = fault(
        "malformed-status-line", "rubbish-status-line", "a malformed status line", "response.malformed")

    /// Presents two different lengths of the body.
    public static let twoLengths = fault(
        "two-lengths", "two-lengths", "two different lengths of the body", "response.malformed")

    /// Presents a length and chunks.
    public static let lengthAndChunks = fault(
        "length-and-chunks", "length-and-chunks", "a length and chunks", "response.malformed")

    /// Presents a negative length.
    public static let negativeLength = fault(
        "negative-length", "negative-length", "a negative length", "response.malformed")

    /// Presents a length of 2 to the 64th.
    public static let overflowingLength = fault(
        "overflowing-length", "overflowing-length", "a length of 2 to the 64th", "response.malformed")

    /// Presents a chunk whose size is no number.
    public static let malformedChunk = fault(
        "malformed-chunk", "rubbish-chunk", "a chunk whose size is no number", "response.malformed")

    /// Presents a header field without an end.
    public static let endlessField = fault(
        "endless-field", "endless-field", "a header field without an end", "limit.head-size")

    /// Presents interim responses without an end.
    public static let endlessInterim = fault(
        "endless-interim", "endless-interim", "interim responses without an end", "response.malformed")

    /// Presents a body without a head, as in HTTP/0.9.
    public static let oldHTTP = fault(
        "http-0.9", "http-0.9", "a body without a head, as in HTTP/0.9", "response.malformed")

    /// Presents a bare CR in a header field.
    public static let carriageReturn = fault(
        "carriage-return", "bare-cr", "a bare CR in a header field", "response.malformed")
}
