// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Dispatch

/// The decoding and scaling of pictures with the libvips programs.
///
/// Pictures come from any source, and decoders have had exploitable defects. Therefore each decoder runs in a separate
/// process, which inherits neither memory nor open files of the server, and whose memory and time are limited.
enum PictureScaler {
    private static let maximumPixelCount = 64_000_000
    /// The libvips names of the supported loaders.
    private static let formats: Set<String> = ["jpegload", "pngload", "webpload", "gifload", "heifload", "tiffload"]
    /// The queue that scales one picture at a time, to limit the memory.
    private static let queue = DispatchQueue(label: "countersign-web.pictures")
    private static let documents = DispatchQueue(label: "countersign-web.documents")

    private enum Formats {
        /// The formats whose decoders libvips considers safe for untrusted data.
        case trusted
        /// The same formats and PDF, whose pages have a shorter time limit.
        case documents

        /// The shell commands that set the limits.
        ///
        /// The limits are seconds of processor time and KiB of memory, if the system supports the latter.
        var limits: String {
            switch self {
            case .trusted: "export VIPS_BLOCK_UNTRUSTED=1; ulimit -t 20; ulimit -v 1048576 2>/dev/null"
            case .documents: "ulimit -t 5; ulimit -v 1048576 2>/dev/null"
            }
        }
    }

    /// Scales an uploaded picture.
    ///
    /// - Parameters:
    ///   - bytes: The picture, in a supported format.
    ///   - title: The source of the picture.
    /// - Returns: The picture in two sizes.
    /// - Throws: ``PresentError``.
    static func scale(_ bytes: [UInt8], title: String = "") async throws -> ScaledPicture {
        guard bytes.count <= RequestGuard.maximumPictureSize else {
            throw PresentError.pictureTooLong(limit: RequestGuard.maximumPictureSize)
        }
        return try await runSerially { try scaleNow(bytes, title) }
    }

    /// Returns the number of pages of a PDF document.
    ///
    /// - Returns: The number; 0 if the document is too long, or cannot be read.
    static func pageCount(ofPDF bytes: [UInt8]) async -> Int {
        // Without this check, bytes of any format would reach every installed decoder.
        guard bytes.starts(with: Array("%PDF-".utf8)),
            let header = try? await runSerially(documents, { try header(of: bytes, reads: .documents) }),
            header["vips-loader"]?.hasPrefix("pdfload") == true
        else { return 0 }
        return header["n-pages"].flatMap { Int($0) } ?? 0
    }

    /// Renders a page of a PDF document as JPEG, because the document itself may contain scripts.
    ///
    /// - Parameters:
    ///   - number: The page number, from 1 to ``pageCount(ofPDF:)``.
    ///   - bytes: The document.
    /// - Returns: The picture.
    /// - Throws: ``PresentError/unreadablePicture``, ``PresentError/noScaler``.
    static func page(_ number: Int, ofPDF bytes: [UInt8]) async throws -> [UInt8] {
        try await runSerially(documents) {
            try thumbnail(of: bytes, "stdin[page=\(number - 1)]", side: 1400, quality: 85, reads: .documents)
        }
    }

    private static func runSerially<Value: Sendable>(
        _ queue: DispatchQueue = queue, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Returns the fields of a picture's header, such as `width` and `vips-loader`.
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
            formats.contains(format), PictureCompleteness.isComplete(in: bytes, format: format)
        else { throw PresentError.unreadablePicture }
        // Each side is compared first, so that the product cannot overflow.
        guard max(width, height) <= maximumPixelCount, width * height <= maximumPixelCount else {
            throw PresentError.tooManyPixels(width: width, height: height, limit: maximumPixelCount)
        }
        let picture = try thumbnail(of: bytes, side: ScaledPicture.maximumSide, quality: 88)
        return ScaledPicture(
            picture: picture, thumbnail: try thumbnail(of: picture, side: ScaledPicture.thumbnailSide, quality: 80),
            title: title)
    }

    /// Returns a scaled picture in JPEG; only a document page is enlarged,
    /// because it is rendered at the requested size.
    ///
    /// The picture is rotated by its orientation tag. A picture that cannot be decoded to its end is
    /// refused, not padded.
    private static func thumbnail(
        of bytes: [UInt8], _ source: String = "stdin[fail_on=error]", side: Int, quality: Int,
        reads formats: Formats = .trusted
    ) throws -> [UInt8] {
        let arguments = [
            source, "--size", "\(side)x\(side)" + (formats == .trusted ? ">" : ""), "--export-profile", "srgb",
            "--output", ".jpg[Q=\(quality),strip,background=255]",
        ]
        guard let scaled = try run("vipsthumbnail", arguments, bytes, reads: formats), !scaled.isEmpty else {
            throw PresentError.unreadablePicture
        }
        return scaled
    }

    private static func run(
        _ name: String, _ arguments: [String], _ input: [UInt8], reads formats: Formats = .trusted
    ) throws -> [UInt8]? {
        guard let program = path(of: name) else { throw PresentError.noScaler }
        let script = formats.limits + "; VIPS_CONCURRENCY=1 exec \"$@\""
        return try ChildProgram.run(["/bin/sh", "-c", script, "sh", program] + arguments, input: input, reads: true)
    }

    /// Whether the programs are installed.
    static var isInstalled: Bool { ["vipsheader", "vipsthumbnail"].allSatisfy { path(of: $0) != nil } }

    private static func path(of name: String) -> String? {
        ExecutablePath.find(name, in: ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"])
    }
}

/// A picture as it is stored: scaled, and without camera metadata, such as the location.
struct ScaledPicture: Sendable {
    /// The picture, in JPEG.
    let picture: [UInt8]
    /// The picture for the list, in JPEG.
    let thumbnail: [UInt8]
    /// The proposed title, from the source of the picture; empty for none.
    let title: String

    static let mediaType = "image/jpeg"
    /// The maximum length of the longer side, in pixels.
    static let maximumSide = 2048
    static let thumbnailSide = 320
}
