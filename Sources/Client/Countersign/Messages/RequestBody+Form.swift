// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import NIOConcurrencyHelpers
import NIOCore

extension RequestBody {
    /// Makes a form with files (`multipart/form-data`, RFC 7578), its names written as browsers write them.
    ///
    /// The body has its content type.
    ///
    /// A request with CR, LF or NUL in a name, a file name or a type fails with ``RequestError/forbiddenCharacter(_:)``.
    ///
    /// - Parameter parts: The entries of the form, in the order sent.
    /// - Returns: A body whose length is known if the lengths of all parts are, and that can be sent again if all parts can.
    public static func multipart(_ parts: [FormPart]) -> RequestBody {
        multipart(parts, boundary: newBoundary())
    }

    /// A random boundary, which the author of a part cannot predict and put into its content (RFC 2046 section 5.1.1).
    package static func newBoundary() -> String {
        let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        return "countersign-\(words.joined())"
    }

    /// The same with a boundary that stands in no part, of letters, digits and hyphens.
    package static func multipart(_ parts: [FormPart], boundary: String) -> RequestBody {
        let pieces = parts.flatMap { part in
            [.text("--\(boundary)\r\n\(part.head)"), part.body.exact(named: part.name), .text("\r\n")]
        }
        var body = concatenating(pieces + [.text("--\(boundary)--\r\n")])
        body.contentType = "multipart/form-data; boundary=\(boundary)"
        body.flaw = parts.lazy.compactMap(\.flaw).first
        return body
    }

    /// Makes a form without files, in `application/x-www-form-urlencoded` as the URL Standard writes it.
    ///
    /// The body has its content type.
    ///
    /// - Parameter fields: Names and values, in the order sent; a name may occur again.
    /// - Returns: A body in memory.
    public static func form(_ fields: KeyValuePairs<String, String>) -> RequestBody {
        form(fields.map { ($0.key, $0.value) })
    }

    /// Makes a form without files from an array of names and values.
    ///
    /// - Parameter fields: Names and values, in the order sent; a name may occur again.
    /// - Returns: A body in memory.
    public static func form(_ fields: [(name: String, value: String)]) -> RequestBody {
        let text = fields.map { "\($0.name.formEncoded)=\($0.value.formEncoded)" }.joined(separator: "&")
        var body = RequestBody.text(text)
        body.contentType = "application/x-www-form-urlencoded"
        return body
    }

    /// Bodies one after the other: of known length where all lengths are known, sent once where one of them can be.
    package static func concatenating(_ bodies: [RequestBody]) -> RequestBody {
        let known = bodies.compactMap(\.bytes)
        guard known.count < bodies.count else { return .bytes(Array(known.joined())) }
        let lengths = bodies.map(\.length)
        let length = lengths.contains(nil) ? nil : lengths.compactMap { $0 }.reduce(0, +)
        var availability: (@Sendable () -> Bool)?
        if bodies.contains(where: \.isOneShot) { availability = { bodies.allSatisfy(\.isAvailable) } }
        return RequestBody(length: length, availability: availability) { sink in
            for body in bodies { try await body.produce(sink) }
        }
    }
}

extension RequestBody {
    /// Fails where it produces another length than it announces.
    ///
    /// In a multipart body, a part that is too short could be made up for by another that is too long.
    ///
    /// - Parameter name: The name of the part, for the error.
    /// - Returns: The same body where it is in memory or announces no length.
    package func exact(named name: String) -> RequestBody {
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
        String(percentEncoded(besides: "*-._ ").map { $0 == " " ? "+" : $0 })
    }
}
