// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files that the user named.
enum InputFile {
    /// Largest file that is read, in bytes: certificates and keys are small.
    private static let limit = 16 << 20

    static func read(_ path: String) throws -> [UInt8] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let size = attributes?[.size] as? Int, size > limit { throw FileError(.read, path: path, code: 27) }
        guard FileManager.default.isReadableFile(atPath: path), let data = FileManager.default.contents(atPath: path)
        else { throw FileError(.read, path: path, code: FileManager.default.fileExists(atPath: path) ? 13 : 2) }
        return Array(data)
    }

    /// Says which file an error is about.
    static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw error
        } catch {
            throw NamedFileError(path: path, error: error)
        }
    }
}

struct NamedFileError: Error {
    let path: String
    let error: any Error
}
