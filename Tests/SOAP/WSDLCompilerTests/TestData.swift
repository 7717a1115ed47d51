// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import WSDLCompiler

/// The WSDL files of the shared test data, which is not part of the repository.
enum TestData {
    /// The folder in `COUNTERSIGN_WSDL`, or `shared/testdata/wsdl` in a parent folder of the repository.
    static let folder: URL? = {
        let environment =
            ProcessInfo.processInfo.environment["COUNTERSIGN_WSDL"].map { [URL(fileURLWithPath: $0)] } ?? []
        // The path of the source files may contain a symbolic link.
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let beside = sequence(first: root, next: { $0.path == "/" ? nil : $0.deletingLastPathComponent() })
            .map { $0.appendingPathComponent("shared/testdata/wsdl") }
        return (environment + beside).first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("manifest.json").path)
        }
    }()

    struct Row: Decodable, Sendable {
        var file: String
        var zeep: Bool
        var wsdl2h: Bool
    }

    static func manifest() throws -> [Row] {
        guard let folder else { return [] }
        return try JSONDecoder().decode(
            [Row].self, from: Data(contentsOf: folder.appendingPathComponent("manifest.json")))
    }

    /// The description of each row, or the error of reading it; read once for all tests.
    static let descriptions = Task<[(row: Row, result: Result<ServiceDescription, WSDLCompilerError>)], any Error> {
        var found: [(row: Row, result: Result<ServiceDescription, WSDLCompilerError>)] = []
        for row in try manifest() {
            do throws(WSDLCompilerError) {
                found.append((row, .success(try await ServiceDescription.read(row.file, from: source))))
            } catch {
                found.append((row, .failure(error)))
            }
        }
        if found.isEmpty { print("skipped: there is no folder testdata/wsdl") }
        return found
    }

    /// The source that reads files of the folder by relative paths.
    static var source: ClosureSource {
        ClosureSource { identifier in
            guard let folder,
                let data = FileManager.default.contents(atPath: folder.appendingPathComponent(identifier).path)
            else { throw NoFile() }
            return Array(data)
        }
    }
}

struct NoFile: Error, CustomStringConvertible {
    var description: String { "there is no such file" }
}
