// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import NearbyProgram
import NibArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A nib with the bytes of its file.
struct NibFile {
    let nib: Nib
    let bytes: [UInt8]

    /// Reads a file, or the file in a folder that the latest system versions load.
    init(_ path: String) throws {
        bytes = Array(try Self.data(try Self.file(path)))
        do throws(NibError) {
            nib = try Nib(data: bytes)
        } catch {
            throw NibCommandError.unreadable(path, error)
        }
    }

    /// Returns the path of the file to read; a compiled interface can be a folder with one file for each range of
    /// system versions.
    private static func file(_ path: String) throws -> String {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return path }
        let versions = names.filter { $0.hasPrefix("objects-") && $0.hasSuffix("+.nib") }
            .sorted { version($0).lexicographicallyPrecedes(version($1)) }
        let known = ["runtime.nib", "keyedobjects.nib", "objects.nib", "designable.nib"].filter(names.contains)
        guard let name = versions.last ?? known.first else {
            throw NibCommandError.folderWithoutNib(path, others: names.filter { $0.hasSuffix(".nib") }.sorted())
        }
        return path + "/" + name
    }

    private static func version(_ name: String) -> [Int] {
        name.dropFirst(8).split { !$0.isNumber }.compactMap { Int($0) }
    }

    static func data(_ path: String) throws -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw FileProblem.unreadable(path)
        }
    }

    /// Writes a file atomically: if that fails, an existing file is unchanged.
    static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .atomic)
        } catch {
            let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
            throw isFolder ? NibCommandError.folderAsOutput(path) as any Error : FileProblem.unwritable(path)
        }
    }
}

/// An error about a file argument of a command.
enum NibCommandError: ExplainedError {
    /// The file could not be parsed. Holds its path.
    case unreadable(String, NibError)
    /// The folder is not a compiled interface. Holds its path and the interfaces in it, such as those of a compiled
    /// storyboard.
    case folderWithoutNib(String, others: [String])
    /// The output path is a folder. Holds the path.
    case folderAsOutput(String)
    /// No object in the file has a frame. Holds its path.
    case nothingToDraw(String)
    /// The file is not compiled. Holds its path.
    case notCompiled(String)
    /// The file is not text in UTF-8 or UTF-16. Holds its path.
    case notText(String)
    /// Translations do not match the interface. Holds the path of the translation file and the number of mismatches.
    case mismatches(String, count: Int)

    var explanation: ErrorExplanation {
        switch self {
        case .unreadable(let path, let error):
            ErrorExplanation(
                error.code, "\(path): \(error.explanation.message)", reason: error.explanation.reason,
                advice: error.explanation.advice)
        case .folderWithoutNib(let path, let others):
            ErrorExplanation(
                "nib.folder-without-nib", "The folder \(path) is not a compiled interface.",
                reason: "Such a folder contains runtime.nib, keyedobjects.nib or objects-VERSION+.nib.",
                advice: others.isEmpty
                    ? "Check which folder it is."
                    : "Specify one of its interfaces: \(others.prefix(8).joined(separator: ", "))\(others.count > 8 ? ", …" : "")."
            )
        case .folderAsOutput(let path):
            ErrorExplanation(
                "nib.folder-as-output", "\(path) is a folder, so nothing was written.",
                reason: "An interface is written as one file.", advice: "Specify a file, such as one in the folder.")
        case .nothingToDraw(let path):
            ErrorExplanation(
                "nib.nothing-to-draw", "No object of \(path) has a frame.",
                reason: "Only windows and views are drawn.", advice: "Omit --svg to print the objects.")
        case .notCompiled(let path):
            ErrorExplanation(
                "nib.not-compiled", "\(path) is not compiled.",
                reason: "Interface Builder's own XML describes objects that only its compiler can create.",
                advice: "Compile it with ibtool first.")
        case .notText(let path):
            ErrorExplanation(
                "nib.not-text", "\(path) is not text in UTF-8 or UTF-16.",
                reason: "A translation file must be text.", advice: "Check which file it is.")
        case .mismatches(let path, let count):
            ErrorExplanation(
                "nib.mismatches",
                "\(count) \(count == 1 ? "translation" : "translations") of \(path) \(count == 1 ? "does" : "do") not fit the interface.",
                reason:
                    "The file may belong to another build, in which the numbers identify other objects. Nothing was written.",
                advice:
                    "Export the texts of this build and translate them, or skip the mismatches with --skip-mismatches."
            )
        }
    }
}

extension NibCommandError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    static var examples: [Self] {
        [
            .folderWithoutNib("Main.storyboardc", others: ["Menu.nib"]), .folderAsOutput("Main.nib"),
            .nothingToDraw("Main.nib"), .notCompiled("Main.xib"), .notText("Main.strings"),
            .mismatches("fr.strings", count: 2),
        ]
    }
}
