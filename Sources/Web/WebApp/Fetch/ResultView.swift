// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes

/// The view of a fetched file, whose content is not part of the page.
struct ResultView {
    let status: String
    let size: String
    let type: String
    let url: String
    /// The size of the part that was resumed; `nil` if the fetch was not resumed.
    let resumed: String?
    let isPicture: Bool
    let isPDF: Bool
    let isOther: Bool
    let tree: JSONNode?
    let text: String?
    /// A remark about bytes of the text that could not be decoded, or are not shown.
    let remark: String?
    let isEmpty: Bool
    /// Whether the text is truncated.
    let isCut: Bool

    /// The maximum length of the shown text, in bytes.
    private static let shownText = 256 << 10

    init(_ file: DownloadedFile, status: String) {
        self.status = status
        let size = ProgressBar.size(file.length)
        self.size = file.length < 1_000 ? size : "\(size) (\(file.length) bytes)"
        type = (file.headerFields[.contentType] ?? "no type").printable
        url = Redaction.url(file.url)
        resumed = file.resumedFrom > 0 ? ProgressBar.size(file.resumedFrom) : nil
        let kind = ContentKind(file.headerFields)
        isEmpty = file.length == 0
        if case .picture = kind { isPicture = !isEmpty } else { isPicture = false }
        isPDF = kind == .pdf && !isEmpty
        let bytes = [.json, .text].contains(kind) ? FilePrefix.read(file.path, upTo: Self.shownText) : []
        isCut = !bytes.isEmpty && file.length > bytes.count
        // A JSON parser may ignore the byte order mark (RFC 8259 section 8.1).
        let mark: [UInt8] = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] : []
        tree = kind == .json && !isCut ? JSONNode(Array(bytes.dropFirst(mark.count))) : nil
        isOther = !isEmpty && (kind == .other || bytes.isEmpty && [.json, .text].contains(kind))
        let body =
            bytes.isEmpty || tree != nil ? nil : BodyText(bytes, file.headerFields[.contentType], isCut: isCut)
        text = body?.text
        remark = tree == nil || mark.isEmpty ? body?.remark : "It begins with a byte order mark."
    }
}

/// The kind of presentation of a fetched file, determined by its content type.
enum ContentKind: Hashable {
    /// An image type that browsers support; scripts in it do not run.
    case picture(String)
    case json
    case text
    case pdf
    case other

    /// The image types; SVG is shown as an image, in which scripts do not run and nothing is loaded.
    private static let pictures: Set<String> = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml",
    ]
    private static let texts: Set<String> = [
        "application/xml", "application/javascript", "application/xhtml+xml", "application/x-pem-file",
        "application/yaml", "application/toml",
    ]

    init(_ fields: HTTPFields) {
        let type = (fields[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        self =
            switch type {
            case _ where Self.pictures.contains(type): .picture(type)
            case "application/pdf": .pdf
            case _ where type == "application/json" || type.hasSuffix("+json"): .json
            case _ where type.hasPrefix("text/") || Self.texts.contains(type) || type.hasSuffix("+xml"): .text
            default: .other
            }
    }
}

/// A reader of the beginning of a file.
enum FilePrefix {
    /// - Returns: The bytes up to the limit; empty if the file cannot be read.
    static func read(_ path: String, upTo limit: Int) -> [UInt8] {
        guard let input = try? InputDescriptor(path) else { return [] }
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let destination = UnsafeMutableRawBufferPointer(buffer)
            while count < limit, let part = try? input.read(into: .init(rebasing: destination[count...])), part > 0 {
                count += part
            }
        }
    }
}

/// A body as text, with a remark about its decoding.
struct BodyText {
    /// The printable text; each undecodable byte is shown as `\x{e9}`,
    /// and each character that is not printable as `\u{9b}`.
    let text: String
    /// A remark about undecodable bytes; `nil` if there are none.
    let remark: String?

    /// - Parameters:
    ///   - bytes: The body, or its beginning.
    ///   - contentType: The value of `Content-Type`, which may name the charset.
    ///   - isCut: Whether the body continues, so that the last character may be incomplete.
    init(_ bytes: [UInt8], _ contentType: String?, isCut: Bool) {
        let named = contentType.flatMap(MediaType.init(field:))?.charset
        let charset = Charset(named, bytes)
        let reading = charset ?? .utf8
        var read = reading.read(bytes)
        if isCut { read?.dropSplitCharacter(of: bytes.count) }
        let count = read?.invalidRanges.map(\.count).reduce(0, +) ?? 0
        var remarks: [String] = []
        if let named, charset == nil {
            remarks.append("Its charset \"\(named.printable)\" is not known here: it is shown as \(reading.name).")
        }
        if count > 0 {
            let words = count == 1 ? "1 byte is" : "\(count) bytes are"
            remarks.append("\(words) not \(reading.name), and shown as \\x{…} each.")
        }
        let text = read?.text ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        self.text = text.replacing("\r\n", with: "\n").printableLines
        remark = remarks.isEmpty ? nil : remarks.joined(separator: " ")
    }
}

/// A supported charset (WHATWG Encoding).
private enum Charset {
    case utf8
    case utf16(isLittleEndian: Bool)
    /// ISO 8859-1, in which each byte is a character.
    case latin1

    var name: String { if case .utf16 = self { "UTF-16" } else { "UTF-8" } }

    /// Creates the charset of a label; `nil` if it is not supported.
    init?(_ name: String?, _ bytes: [UInt8]) {
        // The byte order mark takes precedence over the name.
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16(isLittleEndian: bytes[0] == 0xFF)
            return
        }
        switch name {
        case nil, "utf-8", "utf8", "us-ascii", "ascii": self = .utf8
        case "utf-16le", "utf-16": self = .utf16(isLittleEndian: true)
        case "utf-16be": self = .utf16(isLittleEndian: false)
        case "iso-8859-1", "iso8859-1", "latin1": self = .latin1
        default: return nil
        }
    }

    /// - Returns: The decoded text, or `nil` if each byte is a character.
    func read(_ bytes: [UInt8]) -> DecodedText? {
        switch self {
        case .utf8: DecodedText(utf8: bytes)
        case .utf16(let isLittleEndian): DecodedText(utf16: bytes, isLittleEndian: isLittleEndian)
        case .latin1: nil
        }
    }
}
