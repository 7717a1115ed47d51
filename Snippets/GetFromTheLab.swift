// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The program of docs/guide/lab.md.

import ChallengeLab
import Countersign

let lab = try await Lab.start()  // local servers that present every challenge
let server = lab[.digestSHA256]
let session = HTTPSession(
    trust: TrustPolicy(anchors: .only([lab.authority])),
    handlers: [
        .digest: .password(user: "lab", password: Secret("countersign"), host: "localhost", port: server.port)
    ]
)
let response = try await session.get(server.url)
print(response.status, try await response.text())
try await lab.stop()
