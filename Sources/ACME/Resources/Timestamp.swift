// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An instant as RFC 3339 writes it, in seconds.
public struct Timestamp: Hashable, Sendable, Codable {
    /// The instant.
    public let date: Date

    /// An instant, without the part of a second.
    public init(_ date: Date) { self.date = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)) }

    /// Reads an instant.
    ///
    /// - Parameter text: Such as `2026-11-23T12:00:00Z`, with any offset; a part of a second is left out.
    public init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var text = text.uppercased()
        if let point = text.firstIndex(of: ".") {
            let digits = text[point...].dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty else { return nil }
            text.removeSubrange(point..<digits.endIndex)
        }
        guard let date = try? Date(text, strategy: Date.ISO8601FormatStyle(timeZoneSeparator: .colon)) else {
            return nil
        }
        self.date = date
    }

    /// The text, in UTC.
    public var text: String { date.formatted(.iso8601) }

    /// Reads a text.
    ///
    /// - Parameter decoder: At a text.
    /// - Throws: What the decoder throws, and `DecodingError` where the text is no instant.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let read = Timestamp(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "no instant of RFC 3339")
        }
        self = read
    }

    /// Writes a text.
    ///
    /// - Parameter encoder: Given a text.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(text)
    }
}
