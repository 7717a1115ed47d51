// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Paths and limits of documents are part of every call.
@_exported public import XMLDocuments
