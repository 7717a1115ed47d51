// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes and scales pictures by the programs of libvips.
///
/// A decoder reads bytes that anyone may have written. So it runs in a process of its own, which has neither keys nor files of this one, and
/// whose memory and time are bounded.
enum PictureScaler {
    private static let largestPixelCount = 64_000_000
    private static let formats: Set<String> = ["jpeg", "png", "webp", "gif", "heif", "tiff"]
    /// Pictures wait for each other, so that several do not need the memory of several.
    private static let queue = DispatchQueue(label: "countersign-web.pictures")
    private static let documents = DispatchQueue(label: "countersign-web.documents")

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
        // What only claims to be PDF would be given to any decoder that there is.
        guard bytes.starts(with: Array("%PDF-".utf8)),
            let text = try? await inTurn(
                documents, { try run("vipsheader", ["-a", "stdin"], bytes, reads: .documents) })
        else { return 0 }
        let fields = String(decoding: text, as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(" ") } }
        func value(_ name: String) -> Substring? { fields.first { $0.count == 2 && $0[0] == name }?[1] }
        return value("vips-loader")?.hasPrefix("pdfload") == true ? value("n-pages").flatMap { Int($0) } ?? 0 : 0
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

    private static func scaleNow(_ bytes: [UInt8], _ title: String) throws -> ScaledPicture {
        guard let header = try run("vipsheader", ["stdin"], bytes).map({ String(decoding: $0, as: UTF8.self) }) else {
            throw PresentError.unreadablePicture
        }
        // Such as "4000x3000 uchar, 3 bands, srgb, jpegload_source".
        let size = header.prefix { $0 != " " }.split(separator: "x").compactMap { Int($0) }
        let loader = header.split(separator: " ").last?.prefix { $0 != "_" } ?? ""
        guard size.count == 2, loader.hasSuffix("load"), formats.contains(String(loader.dropLast(4))) else {
            throw PresentError.unreadablePicture
        }
        guard size[0].multipliedReportingOverflow(by: size[1]).partialValue <= largestPixelCount,
            size[0] <= largestPixelCount, size[1] <= largestPixelCount
        else {
            throw PresentError.tooManyPixels(width: size[0], height: size[1], limit: largestPixelCount)
        }
        let picture = try thumbnail(of: bytes, side: ScaledPicture.largestSide, quality: 88)
        return ScaledPicture(
            picture: picture, thumbnail: try thumbnail(of: picture, side: ScaledPicture.thumbnailSide, quality: 80),
            title: title)
    }

    /// A smaller picture is not made larger, but a page is, which is drawn for it.
    ///
    /// A picture is turned as the camera was held.
    private static func thumbnail(
        of bytes: [UInt8], _ source: String = "stdin", side: Int, quality: Int, reads formats: Formats = .trusted
    ) throws -> [UInt8] {
        let words = [
            source, "--size", "\(side)x\(side)" + (formats == .trusted ? ">" : ""), "--export-profile", "srgb",
            "--output",
            ".jpg[Q=\(quality),strip,background=255]",
        ]
        guard let scaled = try run("vipsthumbnail", words, bytes, reads: formats), !scaled.isEmpty else {
            throw PresentError.unreadablePicture
        }
        return scaled
    }

    private static let limits: [Formats: String] = [
        .trusted: "export VIPS_BLOCK_UNTRUSTED=1; ulimit -t 20", .documents: "ulimit -t 5",
    ]
    /// The other bound is 1 GiB of memory, in KiB, where the system has such a bound.
    private static let bounded =
        "; ulimit -v 1048576 2>/dev/null; VIPS_CONCURRENCY=1 exec \"$@\""

    private enum Formats {
        /// Those whose decoders libvips takes for safe with any bytes.
        case trusted
        /// PDF too, of which a page must be drawn sooner.
        case documents
    }

    private static func run(
        _ name: String, _ words: [String], _ input: [UInt8], reads formats: Formats = .trusted
    ) throws -> [UInt8]? {
        guard let program = path(of: name) else { throw PresentError.noScaler }
        return try ChildProgram.run(
            ["/bin/sh", "-c", (limits[formats] ?? "exit 1") + bounded, "sh", program] + words, input: input, reads: true
        )
    }

    /// Whether the programs are there.
    static var isInstalled: Bool { ["vipsheader", "vipsthumbnail"].allSatisfy { path(of: $0) != nil } }

    private static func path(of name: String) -> String? {
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile)
    }
}
