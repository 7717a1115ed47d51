// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Downloads a file with progress, and continues a download that an earlier run did not complete.
///
/// Usage: Download URL FILE [ROOT.pem]
@main struct Download {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 || arguments.count == 4 else {
            print("Usage: Download URL FILE [ROOT.pem]")
            exit(2)
        }
        do {
            var configuration = HTTPSession.Configuration()
            if arguments.count == 4 {
                configuration.trust = TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[3])))
            }
            // The server sends the file itself, whose length is known.
            configuration.asksForCompression = false
            let session = HTTPSession(configuration)
            let transfer = session.beginDownload(.get(arguments[1]), to: URL(filePath: arguments[2]))
            var shown = -1
            for await progress in transfer.progress {
                let percent = Int((progress.fraction ?? 0) * 100)
                if percent / 10 > shown / 10 {
                    FileHandle.standardError.write(Data("\(percent) %\n".utf8))
                    shown = percent
                }
            }
            let file = try await transfer.value
            if file.resumedFrom > 0 { print("Resumed after \(file.resumedFrom) bytes.") }
            if file.discardedLength > 0 { print("Restarted; \(file.discardedLength) bytes could not be resumed.") }
            print("\(file.fileURL.path): \(file.length) bytes")
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}
