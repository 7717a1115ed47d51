// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Hummingbird
import Logging

/// A Hummingbird server with a single route, as the baseline for the web application's pages.
@main
struct WebBench {
    static func main() async throws {
        let router = Router()
        router.get("/") { _, _ in "Hello" }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            // `print` would buffer output to a pipe.
            onServerRunning: { channel in
                FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
            },
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        try await application.runService()
    }
}
