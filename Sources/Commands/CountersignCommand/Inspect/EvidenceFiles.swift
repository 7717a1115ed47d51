// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import X509

/// Revocation lists, OCSP responses and signed certificate timestamps in files.
struct EvidenceFiles {
    let revocation: RevocationEvidence
    /// The certificates in the files, which may be missing issuers.
    let issuers: [Certificate]
    let timestamps: TimestampList?
    /// The remarks about the parts of the files that cannot be read.
    let unreadable: [String]
    /// The path of each list's file.
    private let listPaths: [String]
    /// The path of each response's file, followed by that of the staple.
    private let responsePaths: [String]

    /// The maximum number of files in a directory.
    private static let maximumCount = 10_000

    /// Reads the evidence.
    ///
    /// - Parameters:
    ///   - lists: Files or directories with revocation lists; responses and certificates in them are used too.
    ///   - responses: Files or directories with OCSP responses; lists and certificates in them are used too.
    ///   - staple: The file of the response that the server stapled.
    ///   - timestamps: The file of the timestamps that the server sent by TLS.
    /// - Throws: An error that names a file or a directory without any readable list or response.
    init(lists: [String], responses: [String], staple: String?, timestamps: String?) throws {
        let read = try (lists + responses).flatMap(Self.read)
        let stapled = try staple.map { path in
            let bytes = try Self.naming(path) { $0 }
            return (path, RevocationEvidence.Response(stapled: EvidenceFile(bytes).responses.first?.derBytes ?? bytes))
        }
        let found = read.flatMap { path, file in
            file.responses.map { (path, RevocationEvidence.Response($0, from: EvidenceOrigin(.file, at: path))) }
        }
        let all = found + (stapled.map { [$0] } ?? [])
        revocation = RevocationEvidence(lists: read.flatMap(\.1.lists), responses: all.map(\.1))
        issuers = read.flatMap(\.1.certificates)
        unreadable = read.flatMap { path, file in file.unreadable.map { "\(path.printable): \($0.explanation)" } }
        listPaths = read.flatMap { path, file in file.lists.map { _ in path } }
        responsePaths = all.map(\.0)
        self.timestamps = try timestamps.map { path in
            try Self.naming(path) { try TimestampList(tlsEncoded: $0) }
        }
    }

    /// Reads a file, or the files of a directory in the order of their names, but not those of its subdirectories.
    private static func read(_ path: String) throws -> [(String, EvidenceFile)] {
        guard kind(of: path) == .typeDirectory else {
            return [(path, try naming(path) { try Self.evidence($0, path) })]
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            // Reading the directory as a file throws the reason, such as a missing permission.
            return [(path, EvidenceFile(try InputFile.read(path)))]
        }
        let files = names.sorted().prefix(maximumCount).map { path + (path.hasSuffix("/") ? "" : "/") + $0 }
        let read = try files.filter { kind(of: $0) == .typeRegular }.map { file in
            (file, EvidenceFile(try InputFile.read(file), from: EvidenceOrigin(.file, at: file)))
        }
        guard read.contains(where: { !$0.1.isEmpty }) else {
            let reason = read.first?.1.unreadable.first?.reason ?? RevocationEncodingError.notPEM
            return try InputFile.naming(path) { throw reason }
        }
        return read
    }

    /// Returns the type of the file at a path, after symbolic links; `nil` if there is none.
    private static func kind(of path: String) -> FileAttributeType? {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType
    }

    private static func evidence(_ bytes: [UInt8], _ path: String) throws(RevocationEncodingError) -> EvidenceFile {
        let file = EvidenceFile(bytes, from: EvidenceOrigin(.file, at: path))
        guard !file.isEmpty else { throw file.unreadable.first?.reason ?? .notPEM }
        return file
    }

    private static func naming<Value>(_ path: String, _ body: ([UInt8]) throws -> Value) throws -> Value {
        try InputFile.naming(path) {
            try body(InputFile.read(path))
        }
    }

    /// Returns the use of each list and each response for a verdict.
    ///
    /// - Parameters:
    ///   - verdict: The verdict with the evidence of the files, followed by fetched evidence.
    ///   - count: The number of fetched lists, which precede the responses.
    /// - Returns: The uses, those of the lists first.
    func uses(for verdict: Verdict, besides count: Int) -> [EvidenceFileUse] {
        zip(listPaths, verdict.evidence).map(EvidenceFileUse.init)
            + zip(responsePaths, verdict.evidence.dropFirst(listPaths.count + count)).map(EvidenceFileUse.init)
    }
}

/// The use of a list or a response from a file.
struct EvidenceFileUse {
    let path: String
    let use: EvidenceUse

    /// A sentence about a file that was not used, or only in part; `nil` if it was used.
    var note: String? {
        switch use {
        case .read(nil): nil
        case .read(let problem?):
            "\(path.printable) can only show that a certificate is revoked. \(problem.explanation.message)"
        case .unusable(let problem): "\(path.printable) cannot be used. \(problem.explanation.message)"
        case .unrelated: "\(path.printable) cannot be used. \(InspectionError.unrelatedEvidence.explanation.message)"
        case .notReached: "\(path.printable) was not used, because no path passed the other checks."
        @unknown default: nil
        }
    }

    /// The reason for which the evidence could not be used; `nil` if it was used or not examined.
    fileprivate var problem: (any ExplainedError)? {
        switch use {
        case .unusable(let problem): problem
        case .unrelated: InspectionError.unrelatedEvidence
        default: nil
        }
    }
}

extension [EvidenceFileUse] {
    /// The uses to report; for a file with several lists, unrelated ones are omitted if another one was read.
    var noted: [EvidenceFileUse] {
        filter { one in
            one.use != .unrelated || !contains { $0.path == one.path && $0.use != .unrelated }
        }
    }

    /// The failures for the files without any usable evidence, one for each file.
    var failures: [Failure] {
        var seen: Set<String> = []
        return noted.compactMap { one in
            guard let problem = one.problem, !contains(where: { $0.path == one.path && $0.problem == nil }),
                seen.insert(one.path).inserted
            else { return nil }
            do {
                try InputFile.naming(one.path) { throw problem }
                return nil
            } catch {
                return Failure(error)
            }
        }
    }
}
