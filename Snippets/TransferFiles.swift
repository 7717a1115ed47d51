// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Transfer files and streams".

import Countersign
import Foundation
import NIOCore

func download(_ session: HTTPSession) async throws {
    let image = URL(filePath: "image.iso")
    let transfer = session.beginDownload(.get("https://files.example/image.iso"), to: image)
    for await progress in transfer.progress {
        print(progress.completed, progress.total ?? 0, progress.fraction ?? 0)
    }
    let file = try await transfer.value
    print(file.fileURL, file.length, file.resumedFrom)
}

func upload(_ session: HTTPSession) async throws {
    let report = URL(filePath: "report.pdf")
    let transfer = try session.beginUpload(.put("https://files.example/report.pdf").body(.file(report)))
    for await progress in transfer.progress {
        print(progress.fraction ?? 0)
    }
    try await transfer.value.expecting(.successful)
}

func form(_ session: HTTPSession) async throws {
    try await session.post(
        "https://files.example/drawings",
        body: .multipart([.field("name", "M4"), .file("drawing", contentsOf: URL(filePath: "m4.svg"))])
    ).expecting(.created)
}

func streamUp(_ session: HTTPSession, _ lines: AsyncStream<ByteBuffer>) async throws {
    try await session.post("https://log.example/lines", body: .oneShot(lines)).expecting(.successful)
}

func streamDown(_ session: HTTPSession) async throws {
    let response = try await session.get("https://log.example/lines").expecting(.successful)
    for try await part in response.body {
        print(part.readableBytes)
    }
}
