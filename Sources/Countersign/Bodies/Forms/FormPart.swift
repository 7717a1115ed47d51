// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One entry of a form (RFC 7578 section 4).
public struct FormPart: Sendable {
    let name: String
    let fileName: String?
    let contentType: String?
    let body: RequestBody

    /// Any body under a name.
    ///
    /// - Parameters:
    ///   - name: Of the field.
    ///   - body: With a known length, or else the form has none either.
    ///   - fileName: What the file is called for the server; `nil` for what is no file.
    ///   - contentType: `nil` for the body's own, or else for text without a file name and `application/octet-stream` with one.
    public init(name: String, body: RequestBody, fileName: String? = nil, contentType: String? = nil) {
        self.name = name
        self.body = body
        self.fileName = fileName
        self.contentType = contentType ?? body.contentType ?? (fileName == nil ? nil : "application/octet-stream")
    }

    /// A text, sent as it is in UTF-8.
    public static func field(_ name: String, _ value: String) -> FormPart {
        FormPart(name: name, body: .bytes(Array(value.utf8)))
    }

    /// A file, read while it is sent.
    ///
    /// - Parameters:
    ///   - name: Of the field.
    ///   - path: Where it is.
    ///   - fileName: What it is called for the server; the last part of the path unless said otherwise.
    ///   - contentType: `application/octet-stream` unless said otherwise.
    /// - Returns: A part that can be sent again.
    /// - Throws: ``SessionError/fileFailed(path:_:code:)`` where there is no file.
    public static func file(
        _ name: String, at path: String, fileName: String? = nil, contentType: String? = nil
    ) throws(SessionError) -> FormPart {
        FormPart(
            name: name, body: try .file(path),
            fileName: fileName ?? path.split(separator: "/").last.map(String.init) ?? path, contentType: contentType)
    }

    /// What stands between the boundary and the body.
    var head: String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escape(Self.normalize(name)))\""
        if let fileName { head += "; filename=\"\(Self.escape(fileName))\"" }
        // A line's end here would make a field, or a body, of what follows it.
        if let contentType { head += "\r\nContent-Type: \(contentType.filter { !Self.isControl($0) })" }
        return head + "\r\n\r\n"
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    /// HTML section 4.10.21.8: these three and no others.
    private static func escape(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// HTML section 4.10.21.8: every end of a line in a name is CR LF.
    private static func normalize(_ name: String) -> String {
        var (normal, last) = ("", Unicode.Scalar("x"))
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\n" where last == "\r": break
            case "\r", "\n": normal += "\r\n"
            default: normal.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        return normal
    }
}
