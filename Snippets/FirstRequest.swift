// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The first program of README.md.

import Countersign
import Foundation

do {
    let session = HTTPSession(
        trust: TrustPolicy(anchors: try .only(contentsOf: URL(filePath: "corp-root.pem"))),
        handlers: [
            .clientCertificate: .identity(
                try Identity(contentsOf: URL(filePath: "mary.p12"), passphrase: Secret("correct horse")),
                host: "intranet.example")
        ]
    )
    let response = try await session.get("https://intranet.example/report.csv").expecting(.successful)
    print(try await response.text())
    await session.close()
} catch {
    print(error)  // what happened, why, and what to try
}
