// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// What was typed into the form of a present.
struct PresentDraft: Sendable {
    let title: String
    let text: Secret
    /// The name of the picture that waits for the form; empty for none.
    let picture: String
    let removesPicture: Bool

    /// The longest title, in characters; a longer one is cut.
    private static let longestTitle = 1000

    init(title: String, text: Secret, picture: String = "", removesPicture: Bool = false) {
        (self.title, self.text, self.picture, self.removesPicture) = (title, text, picture, removesPicture)
    }

    var withoutPicture: PresentDraft { PresentDraft(title: title, text: text, removesPicture: removesPicture) }

    init(_ form: WebForm) {
        let words = (form["title"] ?? "").split(whereSeparator: \.isWhitespace)
        title = String(words.joined(separator: " ").prefix(Self.longestTitle))
        // Browsers send the ends of lines as CRLF (HTML section 4.10.22.7).
        text = Secret((form["text"] ?? "").replacing("\r\n", with: "\n"))
        (picture, removesPicture) = (form["picture"] ?? "", form["without-picture"] != nil)
    }
}
