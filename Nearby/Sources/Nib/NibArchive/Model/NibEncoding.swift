// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The encodings of compiled interface files.
public enum NibEncoding: Hashable, Sendable {
    /// Tables of objects, keys, values and classes; the coder's version is 9 in UIKit's files and 10 in AppKit's.
    case nibArchive(formatVersion: UInt32, coderVersion: UInt32)
    /// A keyed archive as a binary property list.
    case binaryPropertyList
    /// A keyed archive as an XML property list.
    case xmlPropertyList
    /// The XML that Interface Builder edits, with or without a keyed archive's form.
    case designableXML
}
