// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// The rule for the end of a response's body (RFC 9112 section 6.3).
enum ResponseFraming: Hashable, Sendable {
    case length(Int)
    case chunked
    case untilClose
    /// No body: the response opened a tunnel.
    case tunnel

    /// The request methods whose responses have no body.
    struct Request: Hashable, Sendable {
        var isHead = false
        var isConnect = false
    }

    /// Determines the framing; a response with two lengths is rejected, because it allows response smuggling.
    init(of head: ResponseHead, to request: Request) throws(ResponseSyntaxError) {
        // A client ignores Content-Length and Transfer-Encoding in a response that opens a tunnel
        // (RFC 9110 section 9.3.6).
        if request.isConnect, (200..<300).contains(head.status) {
            self = .tunnel
            return
        }
        // Several fields with one name count as one, with their values joined by commas (RFC 9110 section 5.3).
        let length = try head.fields.combinedValue(of: .contentLength).map(Self.length)
        var coding = head.fields.combinedValue(of: .transferEncoding)?.lowercased()
        // The absence of a coding has had a name (RFC 2616 section 3.6).
        if coding == "identity" { coding = nil }
        // The client accepts only the chunked coding.
        guard coding == nil || coding == "chunked" && length == nil else { throw .malformed(.headerField) }
        self =
            if request.isHead || head.status < 200 || head.status == 204 || head.status == 304 {
                .length(0)
            } else if coding != nil {
                .chunked
            } else if let length {
                .length(length)
            } else {
                .untilClose
            }
    }

    /// Parses Content-Length; repeated equal values count as one (RFC 9110 section 8.6).
    static func length(_ value: String) throws(ResponseSyntaxError) -> Int {
        var length: Int?
        var rest = value.utf8[...]
        repeat {
            let digits = rest.drop(while: \.isBlank).prefix { $0 != UInt8(ascii: ",") }
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(Substring(digits)), length == nil || length == number
            else { throw .malformed(.headerField) }
            length = number
            rest = rest[digits.endIndex...]
        } while rest.popFirst() != nil
        guard let length else { throw .malformed(.headerField) }
        return length
    }
}

extension ResponseHead {
    /// Returns whether the connection persists for another request (RFC 9112 section 9.3).
    func keepsAlive(_ framing: ResponseFraming) -> Bool {
        guard framing != .untilClose, framing != .tunnel else { return false }
        // HTTP/1.0 has no chunks, so that the message may be damaged (RFC 9112 section 6.1).
        if framing == .chunked, minorVersion == 0 { return false }
        guard let value = fields.combinedValue(of: .connection) else { return minorVersion >= 1 }
        // A fast path for the most common value.
        if value == "keep-alive" { return true }
        let options = value.lowercased().utf8
            .split(separator: UInt8(ascii: ",")).map { $0.filter { !$0.isBlank } }
        return (minorVersion >= 1 || options.contains(Array("keep-alive".utf8)))
            && !options.contains(Array("close".utf8))
    }
}
