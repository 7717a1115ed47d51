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

/// Files of the user's.
enum FileText {
    static func bytes(_ path: String) throws -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw FileProblem.notRead(path)
        }
    }

    static func read(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    /// Writes files into a folder, which is made where it is not there.
    static func write(_ files: [(name: String, bytes: [UInt8])], to folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (name, bytes) in files {
                try Data(bytes).write(to: URL(filePath: folder + "/" + name), options: .atomic)
            }
        } catch {
            throw FileProblem.notWritten(folder)
        }
    }

    /// Adds to an error about what a file holds of which file it is.
    static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ReverseZoneError {
            switch error {
            case .malformedLine, .tooManyRecords, .unnamedZone: throw FlawedFile(path: path, error: error)
            default: throw error
            }
        }
    }
}

/// An error in a file of the user's.
struct FlawedFile: ExplainedError {
    let path: String
    let error: ReverseZoneError

    var explanation: ErrorExplanation {
        let inner = error.explanation
        return ErrorExplanation(
            inner.code, "\(path): \(inner.message)", reason: inner.reason, advice: inner.advice)
    }
}

/// The day, as serials have it.
enum Day {
    /// The first serial of the day, in UTC.
    static var serial: ZoneSerial {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let day = calendar.dateComponents([.year, .month, .day], from: Date())
        return .of(year: day.year ?? 0, month: day.month ?? 0, day: day.day ?? 0)
    }
}
