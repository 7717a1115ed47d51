// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import SwiftASN1

/// What the lab's origins serve.
struct LabResources: Sendable {
    /// Largest body made on request, in bytes.
    private static let sizeLimit = 2 << 30

    let rootPEM: PEMDocument
    /// Whether `/` is the lab's web page.
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
        case ("slow", nil): return .drip(Array(LabRow.slowBody.utf8), pieces: 15, pause: .milliseconds(100))
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

    /// The request's head as it arrived, and the length of its body, so that a test can see what reached this server.
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
    /// Whether the client names HTML among what it accepts, as browsers do.
    fileprivate var wantsPage: Bool { head.headerFields[.accept]?.contains("text/html") == true }
}
