// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder of curl's tests, with the list of them.
struct CurlSuite {
    struct Entry: Decodable {
        let test: Int
        let theme: String?
    }

    let entries: [Entry]
    private let folder: URL

    /// - Throws: ``ReplayError/unreadableIndex(path:)``.
    init(folder path: String) throws(ReplayError) {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        let index = folder.appending(path: "index.json").path(percentEncoded: false)
        guard let data = FileManager.default.contents(atPath: index),
            let entries = try? JSONDecoder().decode([Entry].self, from: data)
        else { throw .unreadableIndex(path: index) }
        self.entries = entries
    }

    /// - Throws: ``ReplayError/unreadableTest(path:)``.
    func file(of entry: Entry) throws(ReplayError) -> [UInt8] {
        let path = folder.appending(path: "test\(entry.test)").path(percentEncoded: false)
        guard let data = FileManager.default.contents(atPath: path) else { throw .unreadableTest(path: path) }
        return Array(data)
    }
}
