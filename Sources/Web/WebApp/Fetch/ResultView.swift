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
    /// A remark on the bytes of the text that could not be read, or are not shown.
    let remark: String?
    let isEmpty: Bool
    /// Whether more follows that is not shown.
    let isCut: Bool

    /// How much text is shown, in bytes.
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
        // A reader of JSON may pass over the mark (RFC 8259 section 8.1).
        let mark: [UInt8] = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] : []
        tree = kind == .json && !isCut ? JSONNode(Array(bytes.dropFirst(mark.count))) : nil
        isOther = !isEmpty && (kind == .other || bytes.isEmpty && [.json, .text].contains(kind))
        let body =
            bytes.isEmpty || tree != nil ? nil : BodyText(bytes, file.headerFields[.contentType], isCut: isCut)
        text = body?.text
        remark = tree == nil || mark.isEmpty ? body?.remark : "It begins with a byte order mark."
    }
}
