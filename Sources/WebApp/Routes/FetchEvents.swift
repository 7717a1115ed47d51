// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Hummingbird
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The progress of a fetch as server-sent events (WHATWG HTML section 9.2).
enum FetchEvents {
    /// What is read is told at most so often.
    private static let interval = Duration.milliseconds(100)

    static func response(for job: FetchJob) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                for await _ in job.changes() {
                    let progress = ProgressView(job.snapshot)
                    let text = String(decoding: try JSONEncoder().encode(progress), as: UTF8.self)
                    try await writer.write(ByteBuffer(string: "data: \(text)\n\n"))
                    guard progress.isRunning else { break }
                    try await Task.sleep(for: interval)
                }
                try await writer.finish(nil)
            })
    }
}
