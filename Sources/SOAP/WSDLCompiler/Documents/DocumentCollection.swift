// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// All documents of a description.
struct DocumentCollection {
    /// The `definitions` elements, the one that was asked for first.
    var definitions: [DocumentNode] = []
    var schemas: [SchemaDocument] = []
    var missing: [MissingDocument] = []
    var warnings: [DescriptionWarning] = []
    /// The target namespace of a document that an import names another namespace for.
    var aliases: [String: String] = [:]
}
