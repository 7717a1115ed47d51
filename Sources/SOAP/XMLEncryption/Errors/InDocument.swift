// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Throws the error of a document as one of its encryption.
func inDocument<Result>(_ body: () throws(XMLDocumentError) -> Result) throws(XMLEncryptionError) -> Result {
    do {
        return try body()
    } catch {
        throw .document(error)
    }
}
