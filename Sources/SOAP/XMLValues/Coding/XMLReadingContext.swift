// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2
import XMLDocuments

/// What all readers of a document share.
final class XMLReadingContext {
    /// The document, which lives as long as its readers.
    let tree: XMLTree
    let options: XMLReadingOptions
    /// The attachments by their content identifiers.
    let attachments: (String) -> XMLAttachment?
    /// The targets of references, where these are followed.
    var references: XMLReferences?

    init(
        tree: XMLTree, options: XMLReadingOptions, attachments: @escaping (String) -> XMLAttachment?,
        references: XMLReferences?
    ) {
        (self.tree, self.options, self.attachments, self.references) = (tree, options, attachments, references)
    }
}

extension XMLElement {
    /// The elements around it and its line.
    package var place: XMLPlace {
        let path = sequence(first: self, next: \.parent).map(\.localName)
        return XMLPlace(path: path.reversed().joined(separator: "/"), line: line)
    }
}
