// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1

/// A forward proxy to loopback and nowhere else, so that a lab is no open relay.
enum LabProxy {
    private static let hopByHop: Set<String> = [
        "connection", "proxy-connection", "proxy-authorization", "proxy-authenticate", "keep-alive", "te", "trailer",
        "upgrade", "transfer-encoding", "content-length",
    ]

    static func reply(to request: LabRequest) -> LabReply {
        let isTunnel = request.head.method == .connect
        guard let destination = Destination(request.target, isTunnel: isTunnel) else {
            return .text("This proxy needs an absolute URL of http, or CONNECT.\n", status: .badRequest)
        }
        guard ["localhost", "127.0.0.1"].contains(destination.host) else {
            return .text("This proxy leads to loopback only.\n", status: .forbidden)
        }
        guard !isTunnel else { return .tunnel(port: destination.port) }
        return .forward(head(of: request.head, to: destination), port: destination.port)
    }

    /// The request as the origin is to see it: origin-form, without what was meant for the proxy (RFC 9112 section 3.2.2).
    private static func head(of request: HTTPRequest, to destination: Destination) -> HTTPRequestHead {
        var headers: HTTPHeaders = ["host": destination.authority]
        for field in request.headerFields where !hopByHop.contains(field.name.canonicalName) {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if let length = request.headerFields[.contentLength] { headers.add(name: "content-length", value: length) }
        headers.add(name: "connection", value: "close")
        let method = HTTPMethod(rawValue: request.method.rawValue)
        return HTTPRequestHead(version: .http1_1, method: method, uri: destination.target, headers: headers)
    }

    private struct Destination {
        let authority: String
        let host: String
        let port: Int
        let target: String

        init?(_ text: String, isTunnel: Bool) {
            var rest = text[...]
            if !isTunnel {
                guard rest.lowercased().hasPrefix("http://") else { return nil }
                rest = rest.dropFirst("http://".count)
            }
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            let path = String(rest.dropFirst(authority.count))
            let parts = authority.split(separator: ":")
            guard let host = parts.first, parts.count <= 2 else { return nil }
            guard let port = parts.count == 2 ? Int(parts[1]) : (isTunnel ? nil : 80), (1...65_535).contains(port)
            else { return nil }
            self.authority = String(authority)
            self.host = host.lowercased()
            self.port = port
            target = path.hasPrefix("/") ? path : "/" + path
        }
    }
}
