// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOHPACK

/// A converter of a connection's decoded header blocks into responses.
///
/// Most fields of a head equal those of the previous head. They are only compared, and not created again.
struct HTTP2HeadReader {
    /// The maximum size of a head that is stored for the comparison with the next one, in bytes.
    private static let maximumStoredHeadSize = 4 * 1024

    private var lastFields = HTTPFields()
    /// The names and values from which the stored fields were created.
    private var lastLines: [(name: String, value: String)] = []

    /// Converts a header block into a response.
    ///
    /// - Throws: An error if the head is malformed (RFC 9113 sections 8.1.1, 8.2 and 8.3.2).
    mutating func read(_ headers: HPACKHeaders) throws(HTTP2StreamError) -> HTTPResponse {
        var status: String?
        var (count, size) = (0, 0)
        defer { if size > Self.maximumStoredHeadSize { self = Self() } }
        for (name, value, _) in headers {
            if name.utf8.first == UInt8(ascii: ":") {
                // Pseudo-header fields come first, and a response has only one.
                guard name == ":status", status == nil, count == 0, Self.isValid(value) else { throw .malformed }
                status = value
                continue
            }
            size += name.utf8.count + value.utf8.count
            if count == lastLines.count {
                lastFields.append(try Self.field(name, value))
                lastLines.append((name, value))
            } else if !Self.isSame(lastLines[count].name, name) || !Self.isSame(lastLines[count].value, value) {
                // The subscript compares with `==`, and would keep the old field.
                lastFields.replaceSubrange(count...count, with: CollectionOfOne(try Self.field(name, value)))
                lastLines[count] = (name, value)
            }
            count += 1
        }
        lastFields.removeSubrange(count...)
        lastLines.removeSubrange(count...)
        guard let status else { throw .malformed }
        guard let code = HTTPResponse.Status.code(status.utf8) else { throw .malformedStatus }
        return HTTPResponse(status: .init(code: code), headerFields: lastFields)
    }

    /// Checks trailers, whose values are not used.
    static func checkTrailers(_ headers: HPACKHeaders) throws(HTTP2StreamError) {
        for (name, value, _) in headers {
            guard name.utf8.first != UInt8(ascii: ":") else { throw .malformed }
            _ = try field(name, value)
        }
    }

    /// Returns whether two strings have the same bytes; `==` would compare canonical equivalence.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func field(_ name: String, _ value: String) throws(HTTP2StreamError) -> HTTPField {
        guard let fieldName = HTTPField.Name(parsed: name), !isConnectionSpecific(name), isValid(value) else {
            throw .malformed
        }
        return HTTPField(name: fieldName, value: trimmed(value))
    }

    /// Removes blanks at the ends of a value, which are not allowed (RFC 9113 section 8.2.1),
    /// but which many servers send.
    private static func trimmed(_ value: String) -> String {
        let bytes = value.utf8
        guard bytes.first?.isBlank == true || bytes.last?.isBlank == true else { return value }
        guard let last = bytes.lastIndex(where: { !$0.isBlank }) else { return "" }
        return String(Substring(bytes[...last].drop(while: \.isBlank)))
    }

    /// Returns whether a field is connection-specific in HTTP/1.1 (RFC 9113 section 8.2.2).
    private static func isConnectionSpecific(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te": true
        default: false
        }
    }

    /// Returns whether a value contains no NUL, CR or LF (RFC 9113 section 8.2.1).
    private static func isValid(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 != 0 && $0 != 0x0a && $0 != 0x0d }
    }
}
