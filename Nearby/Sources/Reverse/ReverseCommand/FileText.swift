// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import ErrorExplanations
import NearbyProgram
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads and writes the user's files.
enum FileText {
    static func bytes(_ path: String) throws -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw FileProblem.unreadable(path)
        }
    }

    static func read(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// Writes files into a folder, which is created if necessary.
    ///
    /// A temporary folder receives all files first, so that no file is replaced if one cannot be written. Existing
    /// files retain their permissions, and their owner if the system allows it.
    static func write(_ files: [(name: String, bytes: [UInt8])], to folder: String) throws {
        let manager = FileManager.default
        let new = "\(folder)/.countersign-\(UInt64.random(in: .min ... .max))"
        do {
            try manager.createDirectory(atPath: new, withIntermediateDirectories: true)
        } catch {
            throw FileProblem.unwritable(folder)
        }
        defer { try? manager.removeItem(atPath: new) }
        let pairs = files.map { (from: "\(new)/\($0.name)", to: "\(folder)/\($0.name)", bytes: $0.bytes) }
        for (from, to, bytes) in pairs {
            var isFolder = false
            guard !manager.fileExists(atPath: to, isDirectory: &isFolder) || !isFolder,
                (try? Data(bytes).write(to: URL(filePath: from))) != nil
            else { throw FileProblem.unwritable(to) }
            var old = stat()
            if stat(to, &old) == 0 {
                _ = chown(from, old.st_uid, old.st_gid)
                chmod(from, old.st_mode & 0o777)
            }
        }
        for (from, to, _) in pairs where rename(from, to) != 0 { throw FileProblem.unwritable(to) }
    }

    /// Runs a function, and adds the path of the file to an error about its contents.
    static func withPath<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ReverseZoneError {
            switch error {
            case .malformedLine, .tooManyRecords, .unnamedZone, .zoneMismatch, .conflict:
                throw FileContentsError(path: path, error: error)
            default: throw error
            }
        }
    }
}

/// An error in the contents of a file.
struct FileContentsError: ExplainedError {
    let path: String
    let error: ReverseZoneError

    var explanation: ErrorExplanation {
        let inner = error.explanation
        return ErrorExplanation(
            inner.code, "\(path): \(inner.message)", reason: inner.reason, advice: inner.advice)
    }
}

/// The current date as a serial.
enum Day {
    /// The first serial of the current day, in UTC.
    static var serial: ZoneSerial {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let day = calendar.dateComponents([.year, .month, .day], from: Date())
        return .of(year: day.year ?? 0, month: day.month ?? 0, day: day.day ?? 0)
    }
}
