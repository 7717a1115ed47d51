// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import POSIX

/// The options for revocation lists and OCSP responses in files.
package struct EvidenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file or a folder of revocation lists; '-' is standard input; repeatable.",
            valueName: "file"))
    package var crl: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file or a folder of OCSP responses; '-' is standard input; repeatable.",
            discussion:
                "Files of --crl and --ocsp may have lists, responses and the certificates of issuers, in DER or PEM.",
            valueName: "file"))
    package var ocsp: [String] = []

    package init() {}

    /// The given options that read standard input.
    var readersOfStandardInput: [String] {
        crl.filter { $0 == "-" }.map { _ in "--crl" } + ocsp.filter { $0 == "-" }.map { _ in "--ocsp" }
    }

    /// Returns the paths of the files, also of those in folders, for the protection of inputs.
    func paths() throws(FileError) -> [String] {
        var paths: [String] = []
        for path in crl + ocsp { paths += try EvidenceFiles.files(path) }
        return paths
    }

    /// Reads the files.
    ///
    /// - Throws: `FileError`, `NamedFileError`.
    package func read() throws -> EvidenceFiles { try EvidenceFiles(crl + ocsp) }
}

/// Revocation lists, OCSP responses and the certificates of issuers in files.
package struct EvidenceFiles {
    /// The evidence, for ``HTTPSession/Configuration/evidence``.
    package private(set) var evidence = TrustEvidence()
    /// The remarks about the parts of the files that cannot be read.
    package private(set) var unreadable: [String] = []
    /// The path of each list's file.
    package private(set) var listPaths: [String] = []
    /// The path of each response's file.
    package private(set) var responsePaths: [String] = []

    /// The maximum number of files in a folder.
    private static let maximumCount = 10_000

    /// Reads files and folders, each with lists, responses and certificates.
    init(_ paths: [String]) throws {
        for path in paths {
            for (name, file) in try Self.read(path) {
                evidence.revocation.lists += file.lists
                listPaths += file.lists.map { _ in name }
                evidence.revocation.responses += file.responses.map { .init($0, from: EvidenceOrigin(.file, at: name)) }
                responsePaths += file.responses.map { _ in name }
                evidence.issuers += file.certificates
                unreadable += file.unreadable.map { "\(name.printable): \($0.explanation)" }
            }
        }
    }

    /// Adds the response that a server sent in the handshake, in DER or in PEM.
    ///
    /// - Parameter path: The path; `-` for standard input.
    /// - Throws: `FileError`.
    package mutating func add(stapledIn path: String) throws {
        let bytes = try InputFile.readArgument(path)
        evidence.revocation.responses.append(.init(stapled: EvidenceFile(bytes).responses.first?.derBytes ?? bytes))
        responsePaths.append(InputFile.name(ofArgument: path))
    }

    /// Reads a file, or the files of a folder in the order of their names, but not those of its subfolders.
    private static func read(_ path: String) throws -> [(String, EvidenceFile)] {
        let read = try files(path).map { file in
            let name = InputFile.name(ofArgument: file)
            return (name, EvidenceFile(try InputFile.readArgument(file), from: EvidenceOrigin(.file, at: name)))
        }
        guard read.contains(where: { !$0.1.isEmpty }) else {
            return try InputFile.naming(path) { throw read.first?.1.unreadable.first?.reason ?? .notPEM }
        }
        return read
    }

    /// Returns the paths of the files in a folder, or the path itself.
    static func files(_ path: String) throws(FileError) -> [String] {
        guard path != "-", FileState(path: path)?.isFolder == true else { return [path] }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw FileError(.read, path: path, code: EACCES)
        }
        return names.sorted().prefix(maximumCount).map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
            .filter { FileState(path: $0)?.isRegular == true }
    }
}
