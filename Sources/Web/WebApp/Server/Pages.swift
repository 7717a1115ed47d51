// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Encodings
import ErrorExplanations
import HTTPTypes
import Hummingbird
import Mustache

/// The pages, made of templates that are part of the program.
struct Pages: Sendable {
    /// What every page has around it.
    struct Frame {
        enum Section: String {
            case fetch, credentials, presents, lab, settings

            var path: String { "/" + rawValue }
        }

        /// What a page says of the unlocked keychain that it shows.
        struct Unlocked {
            /// Where the browser goes when it is locked.
            let place: String
            /// Seconds without use after which the page locks it.
            let idleSeconds: Int

            init(section: Section, idleLimit: Duration) {
                (place, idleSeconds) = (section.path, Int(idleLimit.components.seconds))
            }
        }

        let title: String
        let formToken: String
        let isFetch: Bool
        let isCredentials: Bool
        let isPresents: Bool
        let isLab: Bool
        let isSettings: Bool
        /// Whether no server is validated, which every page says.
        let isUnvalidated: Bool
        let canSignOut: Bool
        /// `nil` where the page shows nothing of the keychain.
        var unlocked: Unlocked?

        /// - Parameters:
        ///   - title: The page's title.
        ///   - section: The part of the navigation that the page belongs to; `nil` for none.
        ///   - session: The browser's; without one the page says nothing of the settings.
        ///   - settings: What the user chose.
        init(
            _ title: String, in section: Section?, for session: BrowserAccess.BrowserSession?, _ settings: WebSettings
        ) {
            self.title = title
            formToken = session?.formToken ?? ""
            (isFetch, isCredentials) = (section == .fetch, section == .credentials)
            isPresents = section == .presents
            (isLab, isSettings) = (section == .lab, section == .settings)
            canSignOut = session?.isByPassphrase ?? false
            isUnvalidated = session != nil && settings.trust == .disabled
        }
    }

    struct ErrorPage {
        let frame: Frame
        let code: String
        let message: String
        let reason: String
        let advice: String
    }

    private let library: MustacheLibrary

    /// - Throws: Where a template cannot be read, which a test finds.
    init() throws {
        MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
        library = MustacheLibrary(
            templates: try [
                "layout": PackageResources.layout_mustache, "fetch": PackageResources.fetch_mustache,
                "job": PackageResources.job_mustache, "question": PackageResources.question_mustache,
                "node": PackageResources.node_mustache, "choice": PackageResources.choice_mustache,
                "settings": PackageResources.settings_mustache,
                "credentials": PackageResources.credentials_mustache,
                "credential": PackageResources.credential_mustache,
                "credential-edit": PackageResources.credential_edit_mustache,
                "unlocking": PackageResources.unlocking_mustache, "unlock": PackageResources.unlock_mustache,
                "addition": PackageResources.addition_mustache, "removal": PackageResources.removal_mustache,
                "presents": PackageResources.presents_mustache, "present": PackageResources.present_mustache,
                "present-form": PackageResources.present_form_mustache,
                "present-removal": PackageResources.present_removal_mustache,
                "sealed": PackageResources.sealed_mustache,
                "lab": PackageResources.lab_mustache, "grading": PackageResources.grading_mustache,
                "error": PackageResources.error_mustache, "entered": PackageResources.entered_mustache,
                "sign-in": PackageResources.sign_in_mustache,
            ].mapValues { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                return try MustacheTemplate(string: "{{% CONTENT_TYPE:\(ScalarEscaping.name)}}\n" + text)
            })
    }

    /// A page made of a template and what stands in it.
    func page(_ name: String, _ contents: Any, status: HTTPResponse.Status = .ok) -> Response {
        let text = library.render(contents, withTemplate: name) ?? ""
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The page of an error.
    func page(_ explanation: ErrorExplanation, status: HTTPResponse.Status, in frame: Frame) -> Response {
        page(
            "error",
            ErrorPage(
                frame: frame, code: explanation.code, message: explanation.message, reason: explanation.reason,
                advice: explanation.advice), status: status)
    }
}

/// Escapes text for HTML, scalar by scalar.
///
/// The library's own escaping compares characters, and a quotation mark with an accent is another character: it would end an attribute.
private struct ScalarEscaping: MustacheContentType {
    static let name = "SCALARS"

    func escapeText(_ text: String) -> String { text.escapedForHTML }
}

/// Makes a page of what was thrown, by the catalogue of errors.
struct ErrorPages: RouterMiddleware {
    typealias Context = WebContext

    let pages: Pages
    let fetcher: Fetcher

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let frame = Pages.Frame("Not done", in: nil, for: context.session, await fetcher.settings)
            switch error {
            case let error as WebError: return pages.page(error.explanation, status: error.status, in: frame)
            case let error as HTTPError where error.status == .notFound:
                return pages.page(WebError.notFound.explanation, status: .notFound, in: frame)
            default:
                var failure = Failure(error)
                failure.optionNames = []
                let explanation = ErrorExplanation(
                    failure.code, failure.message, reason: failure.explanation.reason,
                    advice: failure.advice(.web))
                return pages.page(explanation, status: .badRequest, in: frame)
            }
        }
    }
}
