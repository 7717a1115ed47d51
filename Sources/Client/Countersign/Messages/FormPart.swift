// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
public import EssentialFoundation
import NIOConcurrencyHelpers
import NIOCore

/// A part of a form (RFC 7578 section 4).
public struct FormPart: Sendable {
    let name: String
    let fileName: String?
    let contentType: String?
    let body: SessionRequestBody

    /// Makes a form part with any body.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - body: The content of the part. If its length is unknown, the length of the form is unknown too.
    ///   - fileName: The file name that the server receives; `nil` for a part that is not a file.
    ///   - contentType: The media type; `nil` for the body's own. If the body has none either, a file is sent as
    ///     `application/octet-stream`, and any other part without a type, which means text (RFC 7578 section 4.4).
    public init(name: String, body: SessionRequestBody, fileName: String? = nil, contentType: String? = nil) {
        self.name = name
        self.body = body
        self.fileName = fileName
        self.contentType = contentType ?? body.contentType ?? (fileName == nil ? nil : "application/octet-stream")
    }

    /// Makes a form part with a name and a text, which is sent in UTF-8.
    public static func field(_ name: String, _ value: String) -> FormPart {
        FormPart(name: name, body: .bytes(Array(value.utf8)))
    }

    /// Makes a form part from a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - file: A file URL.
    ///   - fileName: The file name that the server receives; `nil` for the last component of the URL.
    ///   - contentType: The media type; `nil` for `application/octet-stream`.
    /// - Returns: A part that can be sent again, unless its file is not regular, such as a pipe.
    /// - Throws: The same errors as ``SessionRequestBody/file(_:)``.
    public static func file(
        _ name: String, contentsOf file: URL, fileName: String? = nil, contentType: String? = nil
    ) throws(SessionError) -> FormPart {
        FormPart(
            name: name, body: try .file(file), fileName: fileName ?? file.lastPathComponent, contentType: contentType)
    }

    /// The header of the part, between the boundary and the body.
    ///
    /// A request whose names or types contain CR, LF or NUL fails before the header is sent; see ``forbiddenText``.
    var head: String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escape(name))\""
        if let fileName { head += "; filename=\"\(Self.escape(fileName))\"" }
        if let contentType { head += "\r\nContent-Type: \(contentType)" }
        return head + "\r\n\r\n"
    }

    /// Escapes the characters that could end a quoted name (HTML section 4.10.21.8).
    private static func escape(_ text: String) -> String {
        text.replacing("\"", with: "%22")
    }
}

extension SessionRequestBody {
    /// Makes a form with files (`multipart/form-data`, RFC 7578), with names written as browsers write them.
    ///
    /// The body includes its content type.
    ///
    /// A request with CR, LF or NUL in a name, a file name or a type fails with
    /// ``RequestError/forbiddenCharacter(_:)``.
    ///
    /// - Parameter parts: The parts of the form, in the order sent.
    /// - Returns: A body whose length is known if the lengths of all parts are known, and that can be sent again if all
    ///   parts can.
    public static func multipart(_ parts: [FormPart]) -> SessionRequestBody {
        multipart(parts, boundary: newBoundary())
    }

    /// Returns a random boundary, which the author of a part cannot predict and include in its content (RFC 2046
    /// section 5.1.1).
    package static func newBoundary() -> String {
        let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        return "countersign-\(words.joined())"
    }

    /// Makes a form with files, with a boundary of letters, digits and hyphens that occurs in no part.
    package static func multipart(_ parts: [FormPart], boundary: String) -> SessionRequestBody {
        let pieces = parts.flatMap { part in
            [.text("--\(boundary)\r\n\(part.head)"), part.body.exact(named: part.name), .text("\r\n")]
        }
        var body = concatenating(pieces + [.text("--\(boundary)--\r\n")])
        body.contentType = "multipart/form-data; boundary=\(boundary)"
        body.forbiddenText = parts.lazy.compactMap(\.forbiddenText).first
        return body
    }

    /// Makes a form without files, in `application/x-www-form-urlencoded` as the URL Standard defines it.
    ///
    /// The body includes its content type.
    ///
    /// - Parameter fields: Names and values, in the order sent. A name may be repeated.
    /// - Returns: A body in memory.
    public static func form(_ fields: KeyValuePairs<String, String>) -> SessionRequestBody {
        form(fields.map { ($0.key, $0.value) })
    }

    /// Makes a form without files from an array of names and values.
    ///
    /// - Parameter fields: Names and values, in the order sent. A name may be repeated.
    /// - Returns: A body in memory.
    public static func form(_ fields: [(name: String, value: String)]) -> SessionRequestBody {
        let text = fields.map { "\($0.name.formEncoded)=\($0.value.formEncoded)" }.joined(separator: "&")
        var body = SessionRequestBody.text(text)
        body.contentType = "application/x-www-form-urlencoded"
        return body
    }

    /// Returns a body of several bodies in sequence.
    ///
    /// Its length is known if all lengths are known; it can be sent only once if that is true of one of the bodies.
    package static func concatenating(_ bodies: [SessionRequestBody]) -> SessionRequestBody {
        let known = bodies.compactMap(\.bytes)
        guard known.count < bodies.count else { return .bytes(Array(known.joined())) }
        let lengths = bodies.map(\.length)
        let length = lengths.contains(nil) ? nil : lengths.compactMap { $0 }.reduce(0, +)
        var availability: (@Sendable () -> Bool)?
        if bodies.contains(where: \.isOneShot) { availability = { bodies.allSatisfy(\.isAvailable) } }
        return SessionRequestBody(length: length, availability: availability) { sink in
            for body in bodies { try await body.produce(sink) }
        }
    }
}

extension SessionRequestBody {
    /// Returns a body that fails if its length differs from the announced one.
    ///
    /// In a multipart body, a part that is too short could otherwise be compensated by a part that is too long.
    ///
    /// - Parameter name: The name of the part, for the error.
    /// - Returns: The body itself if it is in memory or announces no length.
    package func exact(named name: String) -> SessionRequestBody {
        guard bytes == nil, let length else { return self }
        return replacingContent { [self] sink in
            let sent = NIOLockedValueBox(0)
            try await produce { part in
                sent.withLockedValue { $0 += part.readableBytes }
                try await sink(part)
            }
            let total = sent.withLockedValue { $0 }
            guard total == length else {
                throw SessionError.body(.wrongPartLength(name: name, announced: length, produced: total))
            }
        }
    }
}

extension String {
    fileprivate var formEncoded: String {
        PercentEncoding.encode(utf8) { byte in
            byte == UInt8(ascii: "*") || byte == UInt8(ascii: " ")
                || byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte)
        }.replacing(" ", with: "+")
    }
}

extension FormPart: CustomStringConvertible, CustomReflectable {
    /// The name and the length, without the content.
    public var description: String { "FormPart(\(name.printable), \(body))" }

    /// A mirror that shows only the description, because a part may contain a secret.
    public var customMirror: Mirror { Mirror(self, children: ["part": description]) }
}
