// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The requests that a server must have received, out of a test's `<protocol>` or `<proxy>`.
struct ExpectedRequests: Sendable {
    let heads: [RequestHead]

    init(_ section: TestFile.Section) {
        var (heads, lines) = ([RequestHead](), section.content.lines[...])
        while let line = lines.first {
            // Whatever is not the start of a request belongs to the body of the one before.
            guard Self.startsRequest(line) else {
                lines = lines.dropFirst()
                continue
            }
            let head = lines.prefix { $0.contains { $0 != 13 && $0 != 10 } }
            if let head = RequestHead(head) { heads.append(head) }
            lines = lines.dropFirst(head.count)
        }
        self.heads = heads
    }

    private static func startsRequest(_ line: ArraySlice<UInt8>) -> Bool {
        RequestHead.requestLine(String(decoding: line.filter { $0 != 13 && $0 != 10 }, as: UTF8.self)) != nil
    }
}
