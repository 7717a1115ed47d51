// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import HTTPTypes
import NIOCore
import SwiftASN1

/// The resources of the lab's origin servers.
struct LabResources: Sendable {
    /// The maximum size of a body that is generated on request, in bytes.
    private static let sizeLimit = 2 << 30

    let rootPEM: PEMDocument
    /// Whether the resource `/` is the lab's web page.
    let isFrontPage: Bool
    let directory: LabDirectory

    func reply(to request: LabRequest) -> LabReply {
        let target = request.target
        let path = target.prefix { $0 != "?" }
        let parts = path.split(separator: "/").map(String.init)
        switch (parts.first, parts.dropFirst().first) {
        case ("index.html", nil),
            (nil, _) where isFrontPage && request.wantsPage:
            return .text(LabPage(servers: directory.servers(for: request)).html, type: "text/html; charset=utf-8")
        case ("catalogue.json", nil): return catalogue(request)
        case ("protected", "elsewhere"?): return redirect(to: directory.url(.goodHTTPS, "/stranger", for: request))
        case (nil, _), ("hello", _), ("protected", _): return Self.hello
        case ("stranger", nil): return stranger(request)
        case ("moved", let way?): return moved(way, request)
        case ("cookie", let step?): return cookie(step, request)
        case ("range", nil): return range(request)
        case ("gzip", nil): return coded("gzip", Deflate.gzip(Array(Self.helloText.utf8)), request)
        case ("deflate", nil): return coded("deflate", Deflate.zlib(Array(Self.helloText.utf8)), request)
        case ("chunks", nil): return .fault(Self.inChunks)
        case ("interim", nil): return .fault(Self.afterInterim)
        case ("image.png", nil): return data(Image.png, type: "image/png")
        case ("ca.pem", nil):
            return .text(rootPEM.pemString + "\n", type: "application/x-pem-file")
        case ("ca.der", nil): return data(rootPEM.derBytes, type: "application/pkix-cert")
        case ("echo", nil): return echo(request)
        case ("slow", nil): return .drip(Array(LabServer.Kind.slowText.utf8), pieces: 15, pause: .milliseconds(100))
        case ("truncated", nil): return .truncated(promised: 1_000, sent: 500)
        case ("bytes", let count?), ("chunked", let count?): return zeros(count, isChunked: parts[0] == "chunked")
        case ("status", let code?): return status(code)
        case ("fault", nil): return .text(Fault.ofHTTP1.map(\.name).joined(separator: "\n") + "\n")
        case ("fault", let name?): return fault(name)
        case ("endless", let number?): return redirect(to: "/endless/\((Int(number) ?? 0) &+ 1)")
        case ("loop", nil): return redirect(to: "/loop")
        case ("redirect-to", nil):
            return redirect(to: target.firstRange(of: "?url=").map { String(target[$0.upperBound...]) })
        default: return .text("There is no \(path) here.\n", status: .notFound)
        }
    }

    private func data(_ bytes: [UInt8], type: String) -> LabReply {
        .message(HTTPResponse(status: .ok, headerFields: [.contentType: type]), bytes)
    }

    /// Returns the request's header block as received and the length of its body, so that a test can check what the
    /// server received.
    private func echo(_ request: LabRequest) -> LabReply {
        let fields = request.head.headerFields.map { "\($0.name.rawName): \($0.value)\n" }.joined()
        let body = request.body.length > 0 ? "\n\(request.body.length) bytes\n" : ""
        return .text("\(request.head.method.rawValue) \(request.head.path ?? "")\n\(fields)\(body)")
    }

    private func zeros(_ count: String, isChunked: Bool) -> LabReply {
        guard let count = Int(count), (0...Self.sizeLimit).contains(count) else {
            return .text("A number up to \(Self.sizeLimit) is needed.\n", status: .badRequest)
        }
        return .zeros(count: count, isChunked: isChunked)
    }

    private func fault(_ name: String) -> LabReply {
        guard let fault = Fault.ofHTTP1.first(where: { $0.name == name })?.fault else {
            return .text("There is no fault \(name); /fault lists them.\n", status: .notFound)
        }
        return .fault(fault)
    }

    private func status(_ code: String) -> LabReply {
        guard let code = Int(code), (200...599).contains(code) else {
            return .text("A status from 200 to 599 is needed.\n", status: .badRequest)
        }
        return .text("\(code)\n", status: .init(code: code))
    }

    func redirect(
        to location: String?, _ status: HTTPResponse.Status = .found, fields: HTTPFields = [:]
    ) -> LabReply {
        guard let location else { return .text("A URL is needed.\n", status: .badRequest) }
        var fields = fields
        fields[.location] = location
        return .text("", status: status, fields: fields)
    }
}

extension LabRequest {
    /// Whether the client accepts HTML explicitly, as browsers do.
    fileprivate var wantsPage: Bool { head.headerFields[.accept]?.contains("text/html") == true }
}

/// The resources for redirects, cookies, ranges and content codings.
extension LabResources {
    static let helloText = "Countersign lab\n"
    static let hello = LabReply.text(helloText)

    /// The redirects: a sequence with all statuses, whose last redirect leads to the resource, and special redirects.
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

    /// Responds with an error to a client that sends credentials for another server.
    func stranger(_ request: LabRequest) -> LabReply {
        guard request.head.headerFields[.authorization] == nil else {
            return .text("This password was for another server.\n", status: .badRequest)
        }
        return Self.hello
    }

    // MARK: Cookies

    /// Sets a cookie, and redirects to a resource that checks the cookies of the next request.
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

    /// Responds to a range request with both ends (RFC 9110 section 14), and to any other request with the
    /// complete body.
    func range(_ request: LabRequest) -> LabReply {
        let body = Array(LabServer.Kind.rangedBody.utf8)
        let asked = request.head.headerFields[.range] ?? ""
        let ends = asked.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard asked.hasPrefix("bytes="), ends.count == 2, ends[0] <= ends[1], body.indices.contains(ends[1]) else {
            return .text(LabServer.Kind.rangedBody)
        }
        let fields: HTTPFields = [
            .contentType: "text/plain", .contentRange: "bytes \(ends[0])-\(ends[1])/\(body.count)",
        ]
        return .message(HTTPResponse(status: .partialContent, headerFields: fields), Array(body[ends[0]...ends[1]]))
    }

    /// Responds with the coded body if the client accepts the coding, otherwise with the plain body.
    func coded(_ coding: String, _ bytes: [UInt8], _ request: LabRequest) -> LabReply {
        guard request.head.headerFields[.acceptEncoding]?.contains(coding) == true else { return Self.hello }
        return .message(
            HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain", .contentEncoding: coding]), bytes)
    }

    /// A response in chunks of one byte with an extension, followed by a trailer field (RFC 9112 section 7.1).
    static let inChunks = Fault([
        .send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
                + helloText.map { "1;lab=1\r\n\($0)\r\n" }.joined() + "0\r\nX-Trailer: lab\r\n\r\n")
    ])

    /// A response after two interim responses: Processing and Early Hints (RFC 2518, RFC 8297).
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
