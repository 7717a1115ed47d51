// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Uploads a file with progress, without reading it into memory.
///
/// Usage: Upload FILE URL [ROOT.pem]
@main struct Upload {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 || arguments.count == 4 else {
            print("Usage: Upload FILE URL [ROOT.pem]")
            exit(2)
        }
        do {
            var configuration = HTTPSession.Configuration()
            if arguments.count == 4 {
                configuration.trust = TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[3])))
            }
            let session = HTTPSession(configuration)
            let file = URL(filePath: arguments[1])
            let transfer = try session.beginUpload(.put(arguments[2]).body(.file(file)))
            for await progress in transfer.progress {
                FileHandle.standardError.write(Data("\(Int((progress.fraction ?? 0) * 100)) %\n".utf8))
            }
            let response = try await transfer.value.expecting(.successful)
            print(response.status, try await response.text())
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}
