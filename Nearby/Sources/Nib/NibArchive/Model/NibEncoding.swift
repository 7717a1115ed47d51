// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The encodings of compiled interface files.
public enum NibEncoding: Hashable, Sendable {
    /// The NIBArchive format: tables of objects, keys, values and classes; the coder version is 9 in UIKit files and 10
    /// in AppKit files.
    case nibArchive(formatVersion: UInt32, coderVersion: UInt32)
    /// A keyed archive as a binary property list.
    case binaryPropertyList
    /// A keyed archive as an XML property list.
    case xmlPropertyList
    /// The XML that Interface Builder edits, as a keyed archive or as a document.
    case designableXML
}
