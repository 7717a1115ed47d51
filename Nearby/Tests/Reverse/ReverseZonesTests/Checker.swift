// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import Foundation
import ReverseZones
import Testing

/// A wrapper of BIND's `named-checkzone`.
enum Checker {
    private static let path = "/usr/bin/named-checkzone"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Checks a zone, or a partial zone within a surrounding zone.
    static func check(_ file: ZoneFile, isPart: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zone-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let head =
            isPart
            ? "$TTL 3600\n\(file.origin) IN SOA ns.invalid. mail.invalid. ( 1 2 3 4 5 )\n\(file.origin) IN NS ns.invalid.\n"
            : ""
        let place = folder.appending(path: "zone")
        try Data((head + file.text).utf8).write(to: place)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-k", "fail", "-n", "fail", "-i", "local", file.origin.description, place.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)\n\(file.text.prefix(600))")
    }
}
