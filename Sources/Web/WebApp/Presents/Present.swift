// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import EssentialFoundation
import Keychains
import Secrets

/// A note in the keychain, with an optional picture.
struct Present: Sendable {
    let title: String
    let text: Secret
    let picture: [UInt8]?
    let thumbnail: [UInt8]?
    /// The attachments of other programs.
    let others: [NewItem.Attachment]
    let comment: String
    let accessibility: KeychainItem.Accessibility

    static let pictureName = "picture.jpg"
    static let thumbnailName = "thumbnail.jpg"

    init(title: String, text: Secret, picture: ScaledPicture?) {
        (self.title, self.text, others) = (title, text, [])
        (comment, accessibility) = ("", .whenUnlocked)
        (self.picture, thumbnail) = (picture?.picture, picture?.thumbnail)
    }

    private init(
        title: String, text: Secret, picture: [UInt8]?, thumbnail: [UInt8]?, others: [NewItem.Attachment],
        comment: String, accessibility: KeychainItem.Accessibility
    ) {
        (self.title, self.text, self.picture, self.thumbnail) = (title, text, picture, thumbnail)
        (self.others, self.comment, self.accessibility) = (others, comment, accessibility)
    }

    /// Reads a complete note.
    ///
    /// - Throws: ``PresentError/noPresent`` if the item is not a note, and `KeychainError`.
    init(_ contents: ItemContents) throws {
        let item = contents.item
        guard case .note(let text, let facts) = try contents.secret else { throw PresentError.noPresent }
        var pictures: [String: [UInt8]] = [:]
        var others: [NewItem.Attachment] = []
        for fact in facts {
            let bytes = try contents.attachment(fact.name)
            if [Self.pictureName, Self.thumbnailName].contains(fact.name) {
                pictures[fact.name] = bytes
            } else {
                others.append(.init(name: fact.name, mediaType: fact.mediaType, bytes: bytes))
            }
        }
        self.init(
            title: item.label, text: text, picture: pictures[Self.pictureName],
            thumbnail: pictures[Self.thumbnailName], others: others, comment: item.comment,
            accessibility: item.accessibility)
    }

    /// Returns the present with another title and text.
    ///
    /// - Parameters:
    ///   - title: The new title.
    ///   - text: The new text.
    ///   - picture: The new picture; `nil` for none.
    ///   - keepsPicture: Whether the old picture stays if there is no new one.
    /// - Returns: The present that replaces this one.
    func changed(title: String, text: Secret, picture: ScaledPicture?, keepsPicture: Bool) -> Present {
        Present(
            title: title, text: text, picture: picture?.picture ?? (keepsPicture ? self.picture : nil),
            thumbnail: picture?.thumbnail ?? (keepsPicture ? thumbnail : nil), others: others, comment: comment,
            accessibility: accessibility)
    }

    /// The item for the keychain.
    var item: NewItem { item(accessibility) }

    /// The item to share, which can be read on every computer.
    var sharedItem: NewItem { item(.whenUnlocked) }

    private func item(_ accessibility: KeychainItem.Accessibility) -> NewItem {
        let pictures = [(Self.pictureName, picture), (Self.thumbnailName, thumbnail)].compactMap { name, bytes in
            bytes.map { NewItem.Attachment(name: name, mediaType: ScaledPicture.mediaType, bytes: $0) }
        }
        return .note(text, attachments: pictures + others, label: title, comment: comment, accessibility: accessibility)
    }
}

/// The view of a present on the pages.
struct PresentView {
    let id: Int64
    let title: String
    let changed: String

    init(_ item: KeychainItem) {
        id = item.id.number
        title = item.label.isEmpty ? "Untitled" : item.label.printable
        changed = item.modified.formatted(.iso8601.year().month().day())
    }
}

/// The contents of the form of a present.
struct PresentDraft: Sendable {
    let title: String
    let text: Secret
    /// The name of the uploaded picture; empty for none.
    let picture: String
    let removesPicture: Bool

    /// The maximum length of a title in characters, above which it is truncated.
    private static let maximumTitleLength = 1000

    init(title: String, text: Secret, picture: String = "", removesPicture: Bool = false) {
        (self.title, self.text, self.picture, self.removesPicture) = (title, text, picture, removesPicture)
    }

    var withoutPicture: PresentDraft { PresentDraft(title: title, text: text, removesPicture: removesPicture) }

    init(_ form: WebForm) {
        let words = (form["title"] ?? "").split(whereSeparator: \.isWhitespace)
        title = String(words.joined(separator: " ").prefix(Self.maximumTitleLength))
        // Browsers send line breaks as CRLF (HTML section 4.10.22.7).
        text = Secret((form["text"] ?? "").replacing("\r\n", with: "\n"))
        (picture, removesPicture) = (form["picture"] ?? "", form["without-picture"] != nil)
    }
}
