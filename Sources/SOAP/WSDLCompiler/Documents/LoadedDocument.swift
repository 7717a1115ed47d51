// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A document that was read.
final class LoadedDocument {
    let reference: DocumentReference
    let tree: XMLTree

    init(reference: DocumentReference, tree: XMLTree) { (self.reference, self.tree) = (reference, tree) }

    var root: DocumentNode { DocumentNode(element: tree.root, document: self) }
}
