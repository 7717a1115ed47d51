// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One entry of a form (RFC 7578 section 4).
public struct FormPart: Sendable {
    let name: String
    let fileName: String?
    let contentType: String?
    let body: RequestBody

    /// Makes an entry with any body.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - body: The content of the entry. If its length is not known, the form is sent without a known length too.
    ///   - fileName: The file name that the server receives; `nil` for an entry that is not a file.
    ///   - contentType: The media type; `nil` for the body's own. If the body has none either, a file is sent as
    ///     `application/octet-stream`, and another entry without a type, which means text (RFC 7578 section 4.4).
    public init(name: String, body: RequestBody, fileName: String? = nil, contentType: String? = nil) {
        self.name = name
        self.body = body
        self.fileName = fileName
        self.contentType = contentType ?? body.contentType ?? (fileName == nil ? nil : "application/octet-stream")
    }

    /// Makes an entry with a name and a text, which is sent in UTF-8.
    public static func field(_ name: String, _ value: String) -> FormPart {
        FormPart(name: name, body: .bytes(Array(value.utf8)))
    }

    /// Makes an entry with a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - path: The path of the file.
    ///   - fileName: The file name that the server receives; `nil` for the last component of the path.
    ///   - contentType: The media type; `nil` for `application/octet-stream`.
    /// - Returns: An entry that can be sent again, unless its file is not a regular one, such as a pipe.
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)`` where the system finds no file at the path.
    public static func file(
        _ name: String, at path: String, fileName: String? = nil, contentType: String? = nil
    ) throws(SessionError) -> FormPart {
        FormPart(
            name: name, body: try .file(path),
            fileName: fileName ?? path.split(separator: "/").last.map(String.init) ?? path, contentType: contentType)
    }

    /// What stands between the boundary and the body.
    ///
    /// A request whose names or types have CR, LF or NUL is refused before this is sent; see ``flaw``.
    var head: String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escape(name))\""
        if let fileName { head += "; filename=\"\(Self.escape(fileName))\"" }
        if let contentType { head += "\r\nContent-Type: \(contentType)" }
        return head + "\r\n\r\n"
    }

    /// Escapes what would end a quoted name (HTML section 4.10.21.8).
    private static func escape(_ text: String) -> String {
        text.replacing("\"", with: "%22")
    }
}
