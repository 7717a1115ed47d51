// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import CommandSupport
import Encodings
import ErrorExplanations
package import EssentialFoundation

/// A picture of the tried certification paths: the leaf on the left, the anchors on the right.
package struct TrustPicture {
    /// The dimensions of the picture, in pixels.
    private enum Size {
        static let box = (width: 252, height: 62)
        static let gap = (width: 56, height: 40)
        static let margin = 28
        static let header = 74
        static let legend = 46
        static let minimumWidth = 620
    }

    /// The box of a certificate, with its column and row.
    private struct Box {
        let node: PathTree
        let row: Int

        var left: Int { Size.margin + node.depth * (Size.box.width + Size.gap.width) }
        var top: Int { Size.header + row * (Size.box.height + Size.gap.height) }
    }

    /// The maximum number of paths that are drawn.
    private static let shownPaths = 16

    private let name: String
    private let verdict: Verdict
    private let time: Date
    private var boxes: [Box] = []
    private var links: [(from: Box, to: Box)] = []
    private var rowCount = 0

    /// - Parameters:
    ///   - name: The name of the chain's source, such as a server or a file, for the title.
    ///   - leaf: The first certificate of the chain.
    ///   - verdict: The result of the evaluation.
    ///   - time: The time of the evaluation.
    package init(of name: String, from leaf: CertificateSummary, _ verdict: Verdict, at time: Date) {
        (self.name, self.verdict, self.time) = (name, verdict, time)
        _ = place(PathTree(verdict, from: leaf, limit: Self.shownPaths))
    }

    private mutating func place(_ node: PathTree) -> Box {
        let box = Box(node: node, row: rowCount)
        boxes.append(box)
        for issuer in node.issuers { links.append((box, place(issuer))) }
        if node.issuers.isEmpty { rowCount += 1 }
        return box
    }

    package var svg: String {
        let columns = (boxes.map(\.node.depth).max() ?? 0) + 1
        let width = max(
            Size.minimumWidth, 2 * Size.margin + columns * (Size.box.width + Size.gap.width) - Size.gap.width)
        let height = Size.header + rowCount * (Size.box.height + Size.gap.height) + Size.legend
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
            role="img">
            <title>\(title.printable.escapedForXML())</title>
            \(TrustPictureStyle.css)
            <rect class="page" width="\(width)" height="\(height)" rx="10"/>
            \((heading(width) + sortedLinks.map(draw) + boxes.map(draw) + legend(height)).joined(separator: "\n"))
            </svg>

            """
    }

    private var title: String { "\(name): \(verdict.headline.word)" }

    private func heading(_ width: Int) -> [String] {
        let style = verdict.headline.ink == .green ? "good" : "bad"
        let hidden = verdict.paths.count - Self.shownPaths
        let more = hidden > 0 ? ", \(hidden) more not drawn" : ""
        let count = verdict.paths.count
        let summary = "\(count) \(count == 1 ? "path" : "paths") tried at \(time.formatted(.iso8601))\(more)"
        return [
            text(title, at: (Size.margin, 32), class: "title \(style)", columns: (width - 2 * Size.margin) / 10),
            text(summary, at: (Size.margin, 52), class: "dim", columns: (width - 2 * Size.margin) / 7),
        ]
    }

    /// The links, in which trusted ones come last, so that they are drawn over the others.
    private var sortedLinks: [(from: Box, to: Box)] {
        links.filter { !$0.to.node.isTrusted } + links.filter(\.to.node.isTrusted)
    }

    private func draw(_ link: (from: Box, to: Box)) -> String {
        let start = (x: link.from.left + Size.box.width, y: link.from.top + Size.box.height / 2)
        let end = (x: link.to.left, y: link.to.top + Size.box.height / 2)
        return "<path class=\"link \(style(of: link.to.node))\" d=\"\(Self.elbow(from: start, to: end))\"/>"
    }

    /// Returns a straight path, or one that turns halfway with round corners, so that all branches of a box share one
    /// trunk.
    private static func elbow(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) -> String {
        guard start.y != end.y else { return "M\(start.x) \(start.y)H\(end.x)" }
        let (middle, radius) = ((start.x + end.x) / 2, 10)
        return """
            M\(start.x) \(start.y)H\(middle - radius)Q\(middle) \(start.y) \(middle) \(start.y + radius)\
            V\(end.y - radius)Q\(middle) \(end.y) \(middle + radius) \(end.y)H\(end.x)
            """
    }

    private func draw(_ box: Box) -> String {
        let certificate = box.node.certificate
        let (left, top) = (box.left + 12, box.top)
        let end = CertificateText.day(certificate.notAfter)
        var lines = [
            """
            <rect class="box \(style(of: box.node))" x="\(box.left)" y="\(top)" width="\(Size.box.width)" \
            height="\(Size.box.height)" rx="7"/>
            """,
            text(certificate.shortName, at: (left, top + 21), class: "name", columns: 29),
            text(
                certificate.problem == nil ? "to \(end), \(certificate.validity(at: time).text)" : "cannot be read",
                at: (left, top + 38), class: "dim",
                columns: 31),
            text(certificate.publicKeyPin.description, at: (left, top + 53), class: "dim small", columns: 37),
        ]
        if !box.node.failures.isEmpty {
            let codes = box.node.failures.map { code($0, at: box.node) }.joined(separator: ", ")
            lines.append(text("✕ " + codes, at: (left, top + Size.box.height + 16), class: "bad", columns: 40))
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the code of a failed check, with the certificate's name if another certificate of the path failed.
    private func code(_ failure: TrustFailure, at node: PathTree) -> String {
        guard let failedCertificate = failure.certificates.first, failedCertificate != node.certificate, node.depth > 0
        else {
            return failure.code
        }
        return "\(failure.code) (\(failedCertificate.shortName))"
    }

    private func style(of node: PathTree) -> String {
        if node.isTrusted { return "trusted" }
        return node.failures.isEmpty ? "tried" : "failed"
    }

    private func legend(_ height: Int) -> [String] {
        let entries = [("trusted", "trusted path"), ("failed", "a check failed"), ("tried", "tried")]
        return entries.enumerated().flatMap { index, entry in
            let left = Size.margin + index * 150
            return [
                """
                <rect class="box \(entry.0)" x="\(left)" y="\(height - 34)" width="18" height="12" rx="3"/>
                """,
                text(entry.1, at: (left + 26, height - 24), class: "dim", columns: 20),
            ]
        }
    }

    private func text(_ text: String, at place: (x: Int, y: Int), class style: String, columns: Int) -> String {
        let shown = text.count > columns ? text.column(columns) : text
        return "<text class=\"\(style)\" x=\"\(place.x)\" y=\"\(place.y)\">\(shown.printable.escapedForXML())</text>"
    }
}

/// The tried paths as one tree from the leaf; certificates that several paths share appear once.
final class PathTree {
    let certificate: CertificateSummary
    /// The distance from the leaf, which has 0.
    let depth: Int
    /// The issuers, the trusted one first, so that its path is straight; the others in the order of the attempts.
    private(set) var issuers: [PathTree] = []
    /// The checks that failed at this certificate.
    private(set) var failures: [TrustFailure] = []
    private(set) var isTrusted = false

    /// - Parameters:
    ///   - verdict: The verdict with the paths.
    ///   - leaf: The certificate with which the paths begin.
    ///   - limit: The maximum number of paths.
    init(_ verdict: Verdict, from leaf: CertificateSummary, limit: Int) {
        certificate = leaf
        depth = 0
        let trusted = verdict.path
        let paths = [verdict.mainPath].compactMap { $0 } + verdict.otherPaths
        for path in paths.prefix(limit) {
            add(path, isTrusted: path.failure == nil && path.certificates == trusted)
        }
        // Failures that concern only the leaf are not part of any path.
        failures += verdict.failures.filter { failure in
            !verdict.paths.contains { $0.failure == failure }
        }
        isTrusted = trusted != nil
    }

    private init(_ certificate: CertificateSummary, depth: Int) {
        self.certificate = certificate
        self.depth = depth
    }

    private func add(_ path: Verdict.Path, isTrusted: Bool) {
        var node = self
        for certificate in path.certificates.dropFirst() {
            node = node.issuer(certificate)
            if isTrusted { node.isTrusted = true }
        }
        if let failure = path.failure, !node.failures.contains(failure) { node.failures.append(failure) }
    }

    private func issuer(_ certificate: CertificateSummary) -> PathTree {
        if let known = issuers.first(where: { $0.certificate == certificate }) { return known }
        let issuer = PathTree(certificate, depth: depth + 1)
        issuers.append(issuer)
        return issuer
    }
}

/// The colours of a picture, for light and dark pages, and fonts that every system has.
enum TrustPictureStyle {
    static let css = """
        <style>
        text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace; fill: #1f2328; }
        .title { font-size: 16px; font-weight: 600; }
        .name { font-weight: 600; font-size: 13px; }
        .small { font-size: 10px; }
        .page { fill: #ffffff; }
        .dim { fill: #59636e; }
        .good { fill: #1a7f37; }
        .bad { fill: #cf222e; }
        .box { fill: #f6f8fa; stroke: #8c959f; stroke-width: 1.5; }
        .box.trusted { fill: #dafbe1; stroke: #1a7f37; }
        .box.failed { fill: #ffebe9; stroke: #cf222e; }
        .link { fill: none; stroke: #8c959f; stroke-width: 1.5; }
        .link.trusted { stroke: #1a7f37; stroke-width: 2.5; }
        .link.failed { stroke: #cf222e; stroke-dasharray: 5 4; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .page { fill: #0d1117; }
          .dim { fill: #9198a1; }
          .good { fill: #3fb950; }
          .bad { fill: #f85149; }
          .box { fill: #161b22; stroke: #6e7681; }
          .box.trusted { fill: #12261e; stroke: #3fb950; }
          .box.failed { fill: #25171c; stroke: #f85149; }
          .link { stroke: #6e7681; }
          .link.trusted { stroke: #3fb950; }
          .link.failed { stroke: #f85149; }
        }
        </style>
        """
}
