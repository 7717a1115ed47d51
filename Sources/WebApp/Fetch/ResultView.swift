// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes

/// What a fetch came to, as data: none of it is part of the page.
struct ResultView {
    let status: String
    let size: String
    let type: String
    let url: String
    /// How much of it an earlier try had left; `nil` where nothing was.
    let resumed: String?
    let isPicture: Bool
    let isPDF: Bool
    let isOther: Bool
    let tree: JSONNode?
    let text: String?
    /// Whether more follows that is not shown.
    let isCut: Bool

    /// How much text is shown, in bytes.
    private static let shownText = 256 << 10

    init(_ file: DownloadedFile, status: String) {
        self.status = status
        size = ProgressBar.size(file.length)
        type = (file.headerFields[.contentType] ?? "no type").printable
        url = Redaction.url(file.url)
        resumed = file.resumedFrom > 0 ? ProgressBar.size(file.resumedFrom) : nil
        let kind = ContentKind(file.headerFields)
        if case .picture = kind { isPicture = true } else { isPicture = false }
        isPDF = kind == .pdf
        let bytes = [.json, .text].contains(kind) ? FilePrefix.read(file.path, upTo: Self.shownText) : []
        isCut = !bytes.isEmpty && file.length > bytes.count
        tree = kind == .json && !isCut ? JSONNode(bytes) : nil
        isOther = kind == .other || bytes.isEmpty && [.json, .text].contains(kind)
        text = bytes.isEmpty || tree != nil ? nil : String(decoding: bytes, as: UTF8.self).printableText
    }
}

extension String {
    /// The text with everything escaped that is no printable character, and lines that end in LF.
    var printableText: String { replacing("\r\n", with: "\n").printableLines }
}
