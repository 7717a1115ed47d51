// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error in reading a compiled interface file; offsets are in bytes from the start of the file.
public enum NibError: Error, Hashable {
    /// The start of the file matches none of the four encodings.
    case unknownEncoding
    /// The file is larger than ``Nib/maximumByteCount``.
    case tooLarge(maximumByteCount: Int)
    /// The file ends within a part.
    case unexpectedEnd(NibPart, offset: Int)
    /// The format version of a NIBArchive is not 1. Holds the version.
    case unsupportedVersion(UInt32)
    /// A part is malformed; the offset is `nil` if it is not known.
    case malformed(NibPart, offset: Int?)
    /// A part refers to another part that does not exist. Holds the kind and index of the missing part.
    case badIndex(NibPart, index: Int, offset: Int?)
    /// Objects or elements exceed the maximum nesting depth.
    case tooDeep(limit: Int, offset: Int)
    /// The property list or XML document is well-formed, but it has no archived objects.
    case noArchive
}

/// The parts of a compiled interface file.
public enum NibPart: String, Hashable, Sendable {
    /// The signature at the start of a file, and the counts and offsets in a NIBArchive header.
    case header
    /// An entry of the object table, or an element of `$objects` in a keyed archive.
    case object
    /// An entry of the key table.
    case key
    /// An entry of the value table.
    case value
    /// An entry of the class table.
    case `class`
    /// The trailer of a binary property list, its offset table, or one of its objects.
    case propertyList = "property list"
    /// The text of an XML document.
    case xml = "XML"
}

extension NibError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .unknownEncoding:
            ErrorExplanation(
                "nib.unknown-encoding", "The file is not a compiled interface.",
                reason: "It is neither a NIBArchive, a property list nor an Interface Builder document.",
                advice: "Check the file; a .nib may also be a folder that contains such files.")
        case .tooLarge(let limit):
            ErrorExplanation(
                "nib.too-large", "The file has more than \(limit) bytes.",
                reason: "No known compiled interface is this large.", advice: "Check which file it is.")
        case .unexpectedEnd(let part, let offset):
            ErrorExplanation(
                "nib.ends-early", "The file ends within a \(part.rawValue), at byte \(offset).",
                reason: "It was truncated, or its counts and lengths are wrong.",
                advice: "Compile or download the file again.")
        case .unsupportedVersion(let version):
            ErrorExplanation(
                "nib.unsupported-version", "The NIBArchive has format version \(version).",
                reason: "Only version 1 is supported.", advice: "Check whether the file is damaged.")
        case .malformed(let part, let offset):
            ErrorExplanation(
                "nib.malformed", "The format of a \(part.rawValue) is wrong\(Self.place(offset)).",
                reason: "It does not have the format of its type.",
                advice: "Compile or download the file again.")
        case .badIndex(let part, let index, let offset):
            ErrorExplanation(
                "nib.bad-index",
                "A reference points to \(part.rawValue) \(index), which does not exist\(Self.place(offset)).",
                reason: "The objects cannot be connected without it.",
                advice: "Compile or download the file again.")
        case .tooDeep(let limit, let offset):
            ErrorExplanation(
                "nib.too-deep", "More than \(limit) levels are nested, at byte \(offset).",
                reason: "No compiled interface needs this depth, which could exhaust the stack.",
                advice: "Check where the file comes from.")
        case .noArchive:
            ErrorExplanation(
                "nib.no-archive", "The file has no archived objects.",
                reason: "It is a property list or an XML document, but not an interface.",
                advice: "Check which file it is.")
        }
    }

    private static func place(_ offset: Int?) -> String { offset.map { ", at byte \($0)" } ?? "" }
}

extension NibError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] {
        [
            .unknownEncoding, .tooLarge(maximumByteCount: 268_435_456), .unexpectedEnd(.value, offset: 1_024),
            .unsupportedVersion(2),
            .malformed(.key, offset: 512), .badIndex(.object, index: 7, offset: 2_048),
            .tooDeep(limit: 512, offset: 4_096),
            .noArchive,
        ]
    }
}
