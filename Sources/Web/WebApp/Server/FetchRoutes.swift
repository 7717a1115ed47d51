// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import EssentialFoundation
import HTTPTypes
import Hummingbird
import Keychains
import Secrets

/// The page for fetching, and the routes of each fetch.
struct FetchRoutes: Sendable {
    let fetcher: Fetcher
    let keychain: WebKeychain
    let pages: Pages

    private struct FetchPage {
        let frame: Pages.Frame
        let url: String
        let history: [String]
        /// The stored fetches, which are shown only on the page without a fetch.
        let stored: [JobView]
        let job: JobView?
        let hasHistory: Bool
        let hasStored: Bool
    }

    func add(to router: Router<WebContext>) {
        router.get("/") { _, _ in Response.redirect(to: "/fetch") }
        router.get("/fetch") { request, context in
            await page(of: nil, url: request.query["url"], context)
        }
        router.post("/fetch") { _, context in
            let job = try await fetcher.fetch(context.form["url"] ?? "")
            return Self.redirect(to: job)
        }
        router.post("/history/clear") { _, _ in
            try await fetcher.clearHistory()
            return Response.redirect(to: "/fetch")
        }
        let one = router.group("/fetch/:number")
        one.get { _, context in await page(of: try await job(context), context) }
        one.get("events") { _, context in
            let job = try await job(context)
            return ProgressEvents.response(for: job.observers.changes(), context) { ProgressView(job.snapshot) }
        }
        one.get("verdict/:event") { _, context in try await verdict(context) }
        one.get("content") { _, context in try await content(context) }
        one.get("page/:page") { _, context in try await documentPage(context) }
        one.get("download") { _, context in try await download(context) }
        one.post("stop") { _, context in
            let job = try await job(context)
            await job.stop()
            return Self.redirect(to: job)
        }
        one.post("resume") { _, context in
            let job = try await job(context)
            try await fetcher.run(job)
            return Self.redirect(to: job)
        }
        one.post("answer") { _, context in
            let job = try await job(context)
            if let number = context.form["question"].flatMap({ Int($0) }) {
                job.answer(number, Self.answer(context.form))
            }
            return Self.redirect(to: job)
        }
    }

    /// The maximum number of document pages that are shown.
    private static let shownPages = 20

    private static func redirect(to job: FetchJob) -> Response { .redirect(to: "/fetch/\(job.number)") }

    private func job(_ context: WebContext) async throws -> FetchJob {
        guard let number = context.parameters.get("number", as: Int.self), let job = await fetcher.job(number) else {
            throw WebError.fetchExpired
        }
        return job
    }

    private func page(of job: FetchJob?, url: String? = nil, _ context: WebContext) async -> Response {
        let (settings, history) = (await fetcher.settings, await fetcher.history)
        let stored = job == nil ? await fetcher.storedJobs : []
        var frame = Pages.Frame("Fetch", in: .fetch, for: context.session, settings)
        var view = job.map { JobView($0, showsEvents: settings.showsEvents) }
        if view?.question?.hasOffers == true {
            // A page that shows identities of the keychain is locked together with it.
            if case .open = try? await keychain.state {
                frame.unlocked = .init(section: .credentials, idleLimit: settings.idleLimit)
            } else {
                view?.question?.removeOffers()
            }
        }
        if let count = await job?.pageCount {
            view?.documentPages = Array(stride(from: 1, through: min(count, Self.shownPages), by: 1))
            view?.hasMorePages = count > Self.shownPages
        }
        return pages.page(
            "fetch",
            FetchPage(
                frame: frame, url: job?.url.droppingUserInfo ?? url ?? "", history: history,
                stored: stored.map { JobView($0, showsEvents: false) },
                job: view, hasHistory: !history.isEmpty,
                hasStored: !stored.isEmpty))
    }

    // MARK: Answers

    private static func answer(_ form: WebForm) -> Question.Answer {
        switch form["choice"] {
        case "accept": return .accepted
        case "login":
            guard let user = form["user"], !user.isEmpty else { return .declined }
            return .login(user: user, password: Secret(form["password"] ?? ""))
        case "token": return .token(Secret(form["token"] ?? ""))
        case "unlock": return .unlock(UnlockMethod(form))
        case "again": return .keychainUnlocked
        case "identity":
            if (form["identity"] ?? "").isEmpty, let id = form["kept"].flatMap({ Int64($0) }) {
                return .storedIdentity(id)
            }
            do {
                return .identity(try IdentityForm.identity(form))
            } catch {
                return .unreadableIdentity(Failure(error).message)
            }
        default: return .declined
        }
    }

    // MARK: Fetched content

    private func content(_ context: WebContext) async throws -> Response {
        guard let file = try await job(context).file, case .picture(let type) = ContentKind(file.headerFields) else {
            throw WebError.notFound
        }
        return .content(type, try await FileIO().loadFile(path: file.path, context: context))
    }

    /// Returns a page of a PDF document, as a picture.
    private func documentPage(_ context: WebContext) async throws -> Response {
        let job = try await job(context)
        guard let file = job.document, let page = context.parameters.get("page", as: Int.self), page >= 1,
            page <= min(await job.pageCount, Self.shownPages)
        else { throw WebError.notFound }
        let bytes = FilePrefix.read(file.path, upTo: RequestGuard.maximumPictureSize)
        return .content(ScaledPicture.mediaType, try await PictureScaler.page(page, ofPDF: bytes))
    }

    /// Returns the file as a download, which the browser does not open, regardless of its type.
    private func download(_ context: WebContext) async throws -> Response {
        let job = try await job(context)
        guard let file = job.file else { throw WebError.notFound }
        return .download(try await FileIO().loadFile(path: file.path, context: context), name: job.fileName)
    }

    private func verdict(_ context: WebContext) async throws -> Response {
        let events = try await job(context).snapshot.events
        guard let index = context.parameters.get("event", as: Int.self), events.indices.contains(index),
            case .challenged(let challenge, _) = events[index].kind,
            case .serverTrust(let chain, let verdict) = challenge.statement
        else { throw WebError.notFound }
        let picture = TrustPicture(
            of: challenge.space.subject, from: chain.leaf, verdict, at: Date())
        return .content("image/svg+xml", Array(picture.svg.utf8))
    }
}
