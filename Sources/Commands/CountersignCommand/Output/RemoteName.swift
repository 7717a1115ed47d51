// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import Encodings
import ErrorExplanations
import HTTPTypes

/// A file name from the server that was checked: it names a visible file in the current folder.
struct RemoteName: Hashable, Sendable {
    /// The reason for which a name is not used.
    enum Problem: Error, Hashable {
        case missing
        case undecodable
        case separator
        case hidden
        case control
        case reserved
        case tooLong
    }

    /// The maximum length in most file systems, in bytes.
    private static let longest = 255

    let text: String

    /// Checks a name that the server sent (RFC 6266 section 4.3).
    init(_ name: String) throws(Problem) {
        guard !name.isEmpty else { throw .missing }
        guard name.utf8.count <= Self.longest else { throw .tooLong }
        guard !name.contains(where: { $0 == "/" || $0 == "\\" }) else { throw .separator }
        guard !name.hasPrefix(".") else { throw .hidden }
        guard name.printable == name else { throw .control }
        guard !Self.isReserved(name) else { throw .reserved }
        text = name
    }

    /// Uses the last segment of a URL's path, percent-decoded.
    init(url: String) throws(Problem) {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let afterScheme = path.firstRange(of: "://")?.upperBound ?? path.startIndex
        guard let slash = path.lastIndex(of: "/"), slash >= afterScheme else { throw .missing }
        guard let bytes = PercentEncoding.decode(path[path.index(after: slash)...].utf8),
            let name = String(validating: bytes, as: UTF8.self)
        else { throw .undecodable }
        try self.init(name)
    }

    /// Returns whether a program or a system gives the name another meaning: options, the user's home, Windows devices,
    /// and characters that Windows removes.
    private static func isReserved(_ name: String) -> Bool {
        guard let first = name.first, let last = name.last else { return true }
        let stem = name.prefix { $0 != "." }.uppercased().drop { $0 == " " }
        return first == "-" || first == "~" || last == "." || last == " " || first == " " || name.contains(":")
            || devices.contains(String(stem).trimmingTrailingSpaces)
    }

    private static let devices = Set(
        ["CON", "PRN", "AUX", "NUL"] + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] })
}

extension RemoteName.Problem {
    /// The reason, for the end of a sentence that names the file.
    var text: String {
        switch self {
        case .missing: "there is no name"
        case .undecodable: "it is not percent-encoded UTF-8"
        case .separator: "it has a path separator"
        case .hidden: "it begins with a dot"
        case .control: "it has a character that cannot be printed"
        case .reserved: "it is reserved, or could be taken for an option"
        case .tooLong: "it is longer than 255 bytes"
        }
    }
}

/// The reason for which the file of `-O` is not written.
enum RemoteNameError: Error, Hashable {
    /// The URL has no usable name.
    case url(String, RemoteName.Problem)
    /// The file exists, and `--clobber` was not given.
    case exists(String)
    /// Two options or URLs name the same file. Holds them, and the path.
    case shared(String, String, path: String)
}

extension RemoteNameError: CataloguedError {
    var explanation: ErrorExplanation {
        switch self {
        case .url(let url, let fault):
            ErrorExplanation(
                "output.no-file-name", "\(url.droppingUserInfo) gives no usable file name: \(fault.text).",
                reason: "-O takes the name from the end of the URL's path.", advice: "Name the file with -o FILE.")
        case .exists(let path):
            ErrorExplanation(
                "output.file-exists", "The file \(path) already exists.", reason: "-O does not replace files.",
                advice: "Remove the file, name another with -o FILE, or replace it with --clobber.")
        case .shared(let one, let other, let path):
            ErrorExplanation(
                .usage, "usage.same-file", "\(one.capitalizingFirst) and \(other) name the same file, \(path).",
                reason: "The second file would replace the first.",
                advice: "Give each its own name. For URLs with the same name at their end, -o is given once for each.")
        }
    }

    static var examples: [RemoteNameError] {
        [
            .url("https://localhost:8443/", .missing), .exists("report.pdf"),
            .shared("-o report.pdf", "-o ./report.pdf", path: "./report.pdf"),
        ]
    }
}

extension String {
    fileprivate var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension RemoteName {
    /// Uses the name that a response suggests, or else the URL's.
    ///
    /// - Parameters:
    ///   - response: The response, with or without a `Content-Disposition` field.
    ///   - fallback: The URL's name; `nil` if it has no usable one.
    ///   - url: The URL, for the error.
    ///   - warn: Receives a warning about a suggestion that is not used.
    /// - Throws: ``RemoteNameError/url(_:_:)`` if neither name is usable.
    init(
        suggestedBy response: SessionResponse, _ fallback: RemoteName?, _ url: String, warn: (String) -> Void
    ) throws(RemoteNameError) {
        let suggestion = response.headerFields[.contentDisposition].flatMap(ContentDisposition.fileName)
        do throws(Problem) {
            guard let suggestion else { throw .missing }
            try self.init(suggestion)
        } catch {
            if let suggestion {
                warn("countersign: the server's file name \"\(suggestion.printable)\" is not used: \(error.text)")
            }
            guard let fallback else { throw .url(url, error) }
            self = fallback
        }
    }
}
