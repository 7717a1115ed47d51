// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Encodings
import ErrorExplanations
import HTTPTypes
import Hummingbird
import Mustache

/// The pages, which are rendered from embedded templates.
struct Pages: Sendable {
    /// The frame around every page.
    struct Frame {
        enum Section: String {
            case fetch, credentials, presents, lab, settings

            var path: String { "/" + rawValue }
        }

        /// The lock information of a page that shows data of the unlocked keychain.
        struct Unlocked {
            /// The path to which the browser goes when the keychain is locked.
            let place: String
            /// The idle time in seconds after which the page locks the keychain.
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
        /// Whether validation of servers is disabled, about which every page warns.
        let isUnvalidated: Bool
        let canSignOut: Bool
        /// The lock information; `nil` if the page shows nothing of the keychain.
        var unlocked: Unlocked?

        /// - Parameters:
        ///   - title: The title of the page.
        ///   - section: The navigation section to which the page belongs; `nil` for none.
        ///   - session: The session of the browser; without one, the page reveals nothing about the settings.
        ///   - settings: The user's settings.
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

    /// - Throws: An error if a template cannot be parsed, which a test detects.
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
                "pending-import": PackageResources.pending_import_mustache,
                "removal": PackageResources.removal_mustache,
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

    /// Renders a page from a template and its contents.
    func page(_ name: String, _ contents: Any, status: HTTPResponse.Status = .ok) -> Response {
        let text = library.render(contents, withTemplate: name) ?? ""
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Renders the page of an error.
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
/// The library's own escaping compares grapheme clusters, and a quotation mark with a combining accent is a different
/// cluster: the mark would not be escaped, and would end an attribute.
private struct ScalarEscaping: MustacheContentType {
    static let name = "SCALARS"

    func escapeText(_ text: String) -> String { text.escapedForHTML }
}

/// A middleware that renders a page for a thrown error, according to the error catalogue.
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
