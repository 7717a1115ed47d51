// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Resume downloads in a later run".

import Countersign
import Foundation

func resume(_ session: HTTPSession) async throws {
    let image = URL(filePath: "image.iso")
    let file = try await session.download("https://files.example/image.iso", to: image)
    if file.resumedFrom > 0 { print("Resumed after \(file.resumedFrom) bytes.") }
    if file.discardedLength > 0 { print("Restarted; \(file.discardedLength) bytes could not be resumed.") }
}

func interrupted(_ session: HTTPSession, image: URL, after deadline: Duration) async throws {
    let transfer = session.beginDownload(.get("https://files.example/image.iso"), to: image)
    let timer = Task {
        try await Task.sleep(for: deadline)
        transfer.cancel()
    }
    defer { timer.cancel() }
    do {
        print(try await transfer.value.fileURL)
    } catch is CancellationError {
        print("Run the program again to continue.")
    }
}

func conflicting(_ session: HTTPSession, image: URL, request: SessionRequest) async throws -> DownloadedFile {
    do {
        return try await session.download(request, to: image)
    } catch SessionError.file(.partialFileOfAnotherURL(let path)) {
        print("\(path) belongs to another URL. Discard it? (yes or no)")
        guard readLine() == "yes" else { throw CancellationError() }
        return try await session.download(request, to: image, onConflict: .discard)
    }
}
