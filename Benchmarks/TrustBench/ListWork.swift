// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import SwiftASN1
import Turns
import X509

/// The measured operations on revocation lists, with the same requests and answers as `openssl/list.c`.
///
/// They run in a separate process, so that its memory can be measured.
enum ListWork {
    static func answerRequests() throws {
        print("countersign")
        fflush(nil)
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count == 3, let count = Int(words[2]) else { return }
            print(try run(prefix: String(words[0]), mode: words[1], count))
            fflush(nil)
        }
    }

    private static func run(prefix: String, mode: Substring, _ count: Int) throws -> Int {
        let root = try Certificate(derEncoded: bytes(prefix, "root"))
        let server = try Certificate(derEncoded: bytes(prefix, "server"))
        let before = try peakMemory()
        let encoded = try bytes(prefix, "list")
        guard mode != "bytes" else {
            let start = ProcessorTime.now
            for _ in 0..<count { _ = try check(CertificateRevocationList(derEncoded: encoded), root, server) }
            return ProcessorTime.now - start
        }
        let list = try check(CertificateRevocationList(derEncoded: encoded), root, server)
        guard mode == "lookup" else { return try peakMemory() - before }
        let start = ProcessorTime.now
        for _ in 0..<count { _ = try check(list, root, server) }
        return ProcessorTime.now - start
    }

    /// Checks a list as an evaluation does: its dates, extensions, signature and entries.
    private static func check(
        _ list: CertificateRevocationList, _ root: Certificate, _ server: Certificate
    ) throws -> CertificateRevocationList {
        let status = RevocationCheck.status(
            of: server, issuedBy: root, evidence: RevocationEvidence(lists: [list]), at: Date())
        guard case .revoked = status else { throw BenchError.notTrusted(by: "countersign") }
        return list
    }

    private static func bytes(_ prefix: String, _ name: String) throws -> [UInt8] {
        // The file is read without an intermediate copy, which would count as memory of the list.
        guard let file = fopen("\(prefix)-\(name).der", "rb") else { throw BenchError.noFile }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let size = ftell(file)
        rewind(file)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, file)
        }
    }

    /// The peak of the resident memory, in bytes.
    ///
    /// The `getrusage` peak on Linux begins with that of the parent process; the value in this file does not.
    private static func peakMemory() throws -> Int {
        #if canImport(Darwin)
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return Int(usage.ru_maxrss)
        #else
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            return Int(line.filter(\.isNumber)).map { $0 * 1024 } ?? 0
        #endif
    }
}
