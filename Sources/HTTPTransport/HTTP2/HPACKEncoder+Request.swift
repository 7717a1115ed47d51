// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOHPACK

extension HPACKEncoder {
    /// Encodes the head of a request (RFC 9113 section 8.3.1).
    mutating func append(_ request: HTTPRequest) throws {
        try append(header: ":method", value: request.method.rawValue)
        if let scheme = request.scheme { try append(header: ":scheme", value: scheme) }
        if let authority = request.authority { try append(header: ":authority", value: authority) }
        if let path = request.path { try append(header: ":path", value: path) }
        let named = request.headerFields[values: .connection]
        let options = named.isEmpty ? [] : Self.options(named)
        for field in request.headerFields {
            let name = field.name.canonicalName
            guard !Self.isOfConnection(name), !options.contains(name),
                name != "te" || field.value.lowercased() == "trailers"
            else { continue }
            if Self.isSecret(name) {
                try appendNeverIndexed(header: name, value: field.value)
            } else {
                try append(header: name, value: field.value)
            }
        }
    }

    /// Whether a field is one that a compressor must not keep, because others could guess it by its output (RFC 7541 section 7.1.3).
    private static func isSecret(_ name: String) -> Bool {
        switch name {
        case "authorization", "proxy-authorization", "cookie": true
        default: false
        }
    }

    /// Whether a field is about a connection of HTTP/1.1 (RFC 9113 section 8.2.2).
    private static func isOfConnection(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host": true
        default: false
        }
    }

    /// The fields that Connection names, which end with the connection too (RFC 9110 section 7.6.1).
    private static func options(_ values: [String]) -> Set<String> {
        Set(
            values.joined(separator: ",").lowercased().split(separator: ",").map {
                String($0.filter { $0 != " " && $0 != "\t" })
            })
    }
}
