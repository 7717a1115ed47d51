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
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try scaleNow(bytes, title) })
            }
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

    /// A smaller picture is not made larger; it is turned as the camera was held.
    private static func thumbnail(of bytes: [UInt8], side: Int, quality: Int) throws -> [UInt8] {
        let words = [
            "stdin", "--size", "\(side)x\(side)>", "--export-profile", "srgb", "--output",
            ".jpg[Q=\(quality),strip,background=255]",
        ]
        guard let scaled = try run("vipsthumbnail", words, bytes), !scaled.isEmpty else {
            throw PresentError.unreadablePicture
        }
        return scaled
    }

    /// The bounds are 1 GiB of memory (in KiB, where the system has such a bound) and 20 seconds of the processor.
    private static let bounded =
        "ulimit -v 1048576 2>/dev/null; ulimit -t 20; VIPS_BLOCK_UNTRUSTED=1 VIPS_CONCURRENCY=1 exec \"$@\""

    private static func run(_ name: String, _ words: [String], _ input: [UInt8]) throws -> [UInt8]? {
        guard let program = path(of: name) else { throw PresentError.noScaler }
        return try ChildProgram.run(["/bin/sh", "-c", bounded, "sh", program] + words, input: input, reads: true)
    }

    /// Whether the programs are there.
    static var isInstalled: Bool { ["vipsheader", "vipsthumbnail"].allSatisfy { path(of: $0) != nil } }

    private static func path(of name: String) -> String? {
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile)
    }
}
