// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import HTTPTypes
import Hummingbird
import Keychains
import NIOCore

/// The routes for files that the script uploads before a form is sent, because they exceed the size limit of forms.
struct UploadRoutes: Sendable {
    let gate: KeychainGate
    let folder: PrivateFolder

    private var keychain: WebKeychain { gate.keychain }

    /// The response to the script.
    private struct Answer: Encodable {
        var name: String?
        /// The path of the uploaded picture.
        var path: String?
        /// The reason why the file was refused.
        var problem: String?
    }

    func add(to router: Router<WebContext>) {
        router.post(RouterPath(RequestGuard.pictureUpload)) { request, _ in
            try await answer { try await picture(request) }
        }
        router.post(RouterPath(RequestGuard.sealedUpload)) { request, _ in
            try await answer { try await sealedFile(request) }
        }
        router.get("/presents/picture/:name") { _, context in
            let picture = try await keychain.picture(named: context.parameters.get("name"))
            return Response.content(ScaledPicture.mediaType, picture.picture)
        }
        router.post("/fetch/:number/keep") { _, context in
            let number = context.parameters.get("number", as: Int.self)
            guard let number, let job = await gate.fetcher.job(number) else { throw WebError.fetchExpired }
            return try await keep(job)
        }
    }

    private func answer(_ body: () async throws -> Answer) async throws -> Response {
        var answer: Answer
        do {
            answer = try await body()
        } catch let error as any CataloguedError {
            answer = Answer(problem: error.explanation.text)
        }
        let bytes = try JSONEncoder().encode(answer)
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func picture(_ request: Request) async throws -> Answer {
        let count = await keychain.lockCount
        guard case .open = try await keychain.state else { throw KeychainError.unlockNeeded }
        var request = request
        let limit = RequestGuard.maximumPictureSize
        do {
            let body = try await request.collectBody(upTo: limit)
            let picture = try await PictureScaler.scale(Array(body.readableBytesView))
            let name = try await keychain.keep(picture, since: count)
            return Answer(name: name, path: "/presents/picture/\(name)")
        } catch is NIOTooManyBytesError {
            throw PresentError.pictureTooLong(limit: limit)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw PresentError.pictureTooLong(limit: limit)
        }
    }

    private func sealedFile(_ request: Request) async throws -> Answer {
        guard case .open = try await keychain.state else { throw KeychainError.unlockNeeded }
        let limit = RequestGuard.maximumSealedFileSize
        let path = folder.path + "/sealed-" + String(UInt64.random(in: .min ... .max), radix: 36)
        var length = 0
        let file = try OutputFile(path: path, newMode: 0o600)
        for try await part in request.body {
            length += part.readableBytes
            guard length <= limit else { throw PresentError.sealedFileTooLong(limit: limit) }
            try file.write(Array(part.readableBytesView))
        }
        _ = try file.commit()
        return Answer(name: await keychain.keep(sealedFile: path))
    }

    /// Stores a fetched picture for the form of a new present.
    private func keep(_ job: FetchJob) async throws -> Response {
        guard let file = job.file, case .picture = ContentKind(file.headerFields) else {
            throw PresentError.notPicture
        }
        guard file.length <= RequestGuard.maximumPictureSize else {
            throw PresentError.pictureTooLong(limit: RequestGuard.maximumPictureSize)
        }
        let bytes = FilePrefix.read(file.path, upTo: RequestGuard.maximumPictureSize)
        let picture = try await PictureScaler.scale(bytes, title: job.title)
        // The picture is not a secret of the keychain, so it is stored even if the keychain is locked or missing.
        let name = try await keychain.keep(picture, since: nil)
        return .redirect(to: "/presents/add?picture=\(name)")
    }
}

extension FetchJob {
    /// The file name without its extension.
    fileprivate var title: String { String(fileName.split(separator: ".").first ?? "") }
}
