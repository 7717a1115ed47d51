// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Redirects, cookies, ranges and content codings.
extension LabResources {
    static let helloText = "Countersign lab\n"
    static let hello = LabReply.text(helloText)

    /// Every status that redirects, one after the other, and the last leads to the resource.
    private static let redirects: [(name: String, status: HTTPResponse.Status, next: String)] = [
        ("301", .movedPermanently, "/moved/302"), ("302", .found, "/moved/303"), ("303", .seeOther, "/moved/307"),
        ("307", .temporaryRedirect, "/moved/308"), ("308", .permanentRedirect, "/hello"),
        ("relative", .found, "../moved/./here/../../hello?a=b#c"), ("file", .found, "file:///etc/hostname"),
    ]

    func moved(_ way: String, _ request: LabRequest) -> LabReply {
        if way == "plain-http" { return redirect(to: directory.url(.plainHTTP, "/hello", for: request)) }
        guard let found = Self.redirects.first(where: { $0.name == way }) else { return notFound() }
        return redirect(to: found.next, found.status)
    }

    private func notFound() -> LabReply { .text("There is no such resource here.\n", status: .notFound) }

    /// Refuses a client that brings what was meant for another server.
    func stranger(_ request: LabRequest) -> LabReply {
        guard request.head.headerFields[.authorization] == nil else {
            return .text("This password was for another server.\n", status: .badRequest)
        }
        return Self.hello
    }

    // MARK: Cookies

    /// Sets a cookie and redirects to what judges the next request by it.
    func cookie(_ step: String, _ request: LabRequest) -> LabReply {
        let brought = request.head.headerFields[.cookie] ?? ""
        switch step {
        case "set": return redirect(to: "/cookie/wanted", fields: [.setCookie: "lab=right; Path=/cookie; HttpOnly"])
        case "path": return redirect(to: "/cookie/unwanted", fields: [.setCookie: "lab=wrong; Path=/cookie/path"])
        case "domain":
            return redirect(to: "/cookie/unwanted", fields: [.setCookie: "lab=wrong; Domain=elsewhere.test; Path=/"])
        case "remove": return redirect(to: "/cookie/removed", fields: [.setCookie: "lab=wrong; Path=/"])
        case "removed":
            guard brought.contains("lab=wrong") else {
                return .text("The cookie is missing.\n", status: .badRequest)
            }
            return redirect(to: "/cookie/unwanted", fields: [.setCookie: "lab=; Path=/; Max-Age=0"])
        case "wanted":
            return brought.contains("lab=right") ? Self.hello : .text("A cookie is missing.\n", status: .badRequest)
        case "unwanted":
            return brought.contains("lab=")
                ? .text("This cookie is not for this resource.\n", status: .badRequest) : Self.hello
        default: return notFound()
        }
    }

    // MARK: Ranges and codings

    /// One range of bytes with both ends (RFC 9110 section 14); every other request gets the whole.
    func range(_ request: LabRequest) -> LabReply {
        let body = Array(LabRow.rangedBody.utf8)
        let asked = request.head.headerFields[.range] ?? ""
        let ends = asked.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard asked.hasPrefix("bytes="), ends.count == 2, ends[0] <= ends[1], body.indices.contains(ends[1]) else {
            return .text(LabRow.rangedBody)
        }
        let fields: HTTPFields = [
            .contentType: "text/plain", .contentRange: "bytes \(ends[0])-\(ends[1])/\(body.count)",
        ]
        return .message(HTTPResponse(status: .partialContent, headerFields: fields), Array(body[ends[0]...ends[1]]))
    }

    /// The coded body for a client that names the coding, and the plain one for every other.
    func coded(_ coding: String, _ bytes: [UInt8], _ request: LabRequest) -> LabReply {
        guard request.head.headerFields[.acceptEncoding]?.contains(coding) == true else { return Self.hello }
        return .message(
            HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain", .contentEncoding: coding]), bytes)
    }

    /// Chunks of one byte each, with an extension, and a trailer after them (RFC 9112 section 7.1).
    static let inChunks = Fault([
        .send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
                + helloText.map { "1;lab=1\r\n\($0)\r\n" }.joined() + "0\r\nX-Trailer: lab\r\n\r\n")
    ])

    /// Processing and Early Hints before the response (RFC 2518, RFC 8297).
    static let afterInterim = Fault([
        .send(
            "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(helloText.utf8.count)\r\n\r\n\(helloText)"
        )
    ])

    // MARK: The catalogue

    func catalogue(_ request: LabRequest) -> LabReply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(LabCatalogue(servers: directory.servers(for: request))) else {
            return notFound()
        }
        return .message(HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), Array(json))
    }
}
