// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Dispatch

/// Decodes and scales pictures by the programs of libvips.
///
/// Pictures come from any source, and decoders have had exploitable defects. Therefore each runs in a separate process, which inherits
/// neither memory nor open files of the server, and whose memory and time are bounded.
enum PictureScaler {
    private static let largestPixelCount = 64_000_000
    /// By libvips's names of what reads them.
    private static let formats: Set<String> = ["jpegload", "pngload", "webpload", "gifload", "heifload", "tiffload"]
    /// Pictures wait for each other, so that several do not need the memory of several.
    private static let queue = DispatchQueue(label: "countersign-web.pictures")
    private static let documents = DispatchQueue(label: "countersign-web.documents")

    private enum Formats {
        /// Those whose decoders libvips takes for safe with any bytes.
        case trusted
        /// PDF too, of which a page must be drawn sooner.
        case documents

        /// What the shell does first.
        ///
        /// The bounds are in seconds of the processor and in KiB of memory, where the system bounds that.
        var limits: String {
            switch self {
            case .trusted: "export VIPS_BLOCK_UNTRUSTED=1; ulimit -t 20; ulimit -v 1048576 2>/dev/null"
            case .documents: "ulimit -t 5; ulimit -v 1048576 2>/dev/null"
            }
        }
    }

    /// Scales a picture that was sent.
    ///
    /// - Parameters:
    ///   - bytes: In any of the formats.
    ///   - title: Where it came from.
    /// - Returns: The picture in two sizes.
    /// - Throws: ``PresentError``.
    static func scale(_ bytes: [UInt8], title: String = "") async throws -> ScaledPicture {
        guard bytes.count <= RequestGuard.largestPicture else {
            throw PresentError.pictureTooLong(limit: RequestGuard.largestPicture)
        }
        return try await inTurn { try scaleNow(bytes, title) }
    }

    /// The number of pages of a document in PDF.
    ///
    /// - Returns: 0 where it is too long, or cannot be read.
    static func pageCount(ofPDF bytes: [UInt8]) async -> Int {
        // Bytes that only claim to be PDF would reach every decoder that is installed.
        guard bytes.starts(with: Array("%PDF-".utf8)),
            let header = try? await inTurn(documents, { try header(of: bytes, reads: .documents) }),
            header["vips-loader"]?.hasPrefix("pdfload") == true
        else { return 0 }
        return header["n-pages"].flatMap { Int($0) } ?? 0
    }

    /// A page of a document in PDF, drawn in JPEG: the document itself may hold scripts.
    ///
    /// - Parameters:
    ///   - number: From 1 to ``pageCount(ofPDF:)``.
    ///   - bytes: The document.
    /// - Returns: The picture.
    /// - Throws: ``PresentError/unreadablePicture``, ``PresentError/noScaler``.
    static func page(_ number: Int, ofPDF bytes: [UInt8]) async throws -> [UInt8] {
        try await inTurn(documents) {
            try thumbnail(of: bytes, "stdin[page=\(number - 1)]", side: 1400, quality: 85, reads: .documents)
        }
    }

    private static func inTurn<Value: Sendable>(
        _ queue: DispatchQueue = queue, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// The fields of a picture's header, such as `width` and `vips-loader`.
    private static func header(of bytes: [UInt8], reads formats: Formats = .trusted) throws -> [String: String] {
        guard let text = try run("vipsheader", ["-a", "stdin"], bytes, reads: formats) else {
            throw PresentError.unreadablePicture
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let fields = lines.map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
        return Dictionary(fields.map { (String($0[0]), String($0[1].trimmingPrefix(" "))) }) { first, _ in first }
    }

    private static func scaleNow(_ bytes: [UInt8], _ title: String) throws -> ScaledPicture {
        let header = try header(of: bytes)
        guard let width = header["width"].flatMap({ Int($0) }), let height = header["height"].flatMap({ Int($0) }),
            let format = header["vips-loader"]?.split(separator: "_").first.map(String.init),
            formats.contains(format), PictureEnd.isThere(in: bytes, format: format)
        else { throw PresentError.unreadablePicture }
        // Each side alone is compared first, so that the product is within its type.
        guard max(width, height) <= largestPixelCount, width * height <= largestPixelCount else {
            throw PresentError.tooManyPixels(width: width, height: height, limit: largestPixelCount)
        }
        let picture = try thumbnail(of: bytes, side: ScaledPicture.largestSide, quality: 88)
        return ScaledPicture(
            picture: picture, thumbnail: try thumbnail(of: picture, side: ScaledPicture.thumbnailSide, quality: 80),
            title: title)
    }

    /// A smaller picture is not made larger, but a page is, which is drawn for it.
    ///
    /// A picture is turned as the camera was held. One that does not decode to its end is refused, not filled up.
    private static func thumbnail(
        of bytes: [UInt8], _ source: String = "stdin[fail_on=error]", side: Int, quality: Int,
        reads formats: Formats = .trusted
    ) throws -> [UInt8] {
        let words = [
            source, "--size", "\(side)x\(side)" + (formats == .trusted ? ">" : ""), "--export-profile", "srgb",
            "--output", ".jpg[Q=\(quality),strip,background=255]",
        ]
        guard let scaled = try run("vipsthumbnail", words, bytes, reads: formats), !scaled.isEmpty else {
            throw PresentError.unreadablePicture
        }
        return scaled
    }

    private static func run(
        _ name: String, _ words: [String], _ input: [UInt8], reads formats: Formats = .trusted
    ) throws -> [UInt8]? {
        guard let program = path(of: name) else { throw PresentError.noScaler }
        let script = formats.limits + "; VIPS_CONCURRENCY=1 exec \"$@\""
        return try ChildProgram.run(["/bin/sh", "-c", script, "sh", program] + words, input: input, reads: true)
    }

    /// Whether the programs are there.
    static var isInstalled: Bool { ["vipsheader", "vipsthumbnail"].allSatisfy { path(of: $0) != nil } }

    private static func path(of name: String) -> String? {
        ExecutablePath.find(name, in: ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"])
    }
}

/// A picture as it is kept: scaled, and without what the camera wrote into it, such as the place.
struct ScaledPicture: Sendable {
    /// In JPEG.
    let picture: [UInt8]
    /// In JPEG, for the list.
    let thumbnail: [UInt8]
    /// Where it came from, as a title to begin with; empty for none.
    let title: String

    static let mediaType = "image/jpeg"
    /// The longer side, in pixels.
    static let largestSide = 2048
    static let thumbnailSide = 320
}
