// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Hummingbird
import Keychains
import Secrets

/// The gate that restricts pages to the unlocked keychain, and the routes that create, unlock and lock the keychain.
struct KeychainGate: Sendable {
    let fetcher: Fetcher
    let keychain: WebKeychain
    let pages: Pages

    func add(to router: Router<WebContext>) {
        let group = router.group("/keychain")
        group.post("make") { _, context in try await make(context) }
        group.post("unlock") { _, context in try await unlock(context) }
        // The script reports that the user is active, even if no page is loaded.
        group.post("active") { _, _ in
            await keychain.recordUse(idleLimit: await fetcher.settings.idleLimitOfServer)
            return Response(status: .noContent)
        }
        group.post("lock") { _, context in
            try await keychain.lock()
            return Response.redirect(to: Self.place(context.form["place"]))
        }
    }

    /// Returns the frame of a page that requires the unlocked keychain.
    ///
    /// Its title stays in the browser's history, so it must not name an item.
    func frame(_ title: String, in section: Pages.Frame.Section, _ context: WebContext) async -> Pages.Frame {
        var frame = Pages.Frame(title, in: section, for: context.session, await fetcher.settings)
        frame.unlocked = .init(section: section, idleLimit: await fetcher.settings.idleLimit)
        return frame
    }

    // MARK: Unlocking

    private struct UnlockPage {
        let frame: Pages.Frame
        /// Whether there is no keychain yet.
        let isMissing: Bool
        let hasPIN: Bool
        /// The path to which the browser goes after unlocking.
        let place: String
        let path: String
        let problem: ErrorExplanation?
        /// Whether a weak passphrase was chosen, which must be confirmed or changed.
        let isWeak: Bool
        let minimumPINLength = PINPolicy.minimumLength
    }

    /// Runs a closure with the unlocked keychain; if it is locked, only a form for unlocking is shown.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request context.
    ///   - draft: The contents of a present's form, which are restored after the keychain is unlocked.
    ///   - body: The closure that needs the keychain.
    /// - Returns: The result of the closure, or the form.
    /// - Throws: Errors of the closure and the keychain.
    func opened(
        _ request: Request, _ context: WebContext, keeping draft: PresentDraft? = nil,
        _ body: (UnlockedKeychain) async throws -> Response
    ) async throws -> Response {
        if case .open(let keychain) = try await keychain.state {
            await self.keychain.recordUse(idleLimit: await fetcher.settings.idleLimitOfServer)
            do {
                return try await body(keychain)
            } catch KeychainError.unlockNeeded {}
        }
        guard request.method == .post else {
            return try await unlockPage(at: Self.place(request.uri.string), nil, context)
        }
        if let draft { return .redirect(to: request.uri.path + "?draft=" + (await keychain.keep(draft))) }
        return .redirect(to: Self.section(of: request.uri.path).path)
    }

    private func unlockPage(
        at place: String, _ problem: ErrorExplanation? = nil, isWeak: Bool = false, _ context: WebContext
    ) async throws -> Response {
        let slots = try await keychain.slots
        return pages.page(
            "unlock",
            UnlockPage(
                frame: Pages.Frame(
                    "Keychain", in: Self.section(of: place), for: context.session, await fetcher.settings),
                isMissing: slots == nil, hasPIN: slots?.contains { $0.kind == .pin } ?? false, place: place,
                path: keychain.path.printable, problem: problem, isWeak: isWeak),
            status: problem == nil ? .ok : .forbidden)
    }

    /// Returns a valid path of the pages that need the keychain; every other text leads to the list of credentials.
    private static func place(_ text: String?) -> String {
        let text = text ?? ""
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "/-_?=&".utf8.contains(byte)
        }
        let section = section(of: text).path
        guard isPlain, text.utf8.count < 200 else { return section }
        return text == section || text.hasPrefix(section + "/") || text.hasPrefix(section + "?") ? text : section
    }

    private static func section(of place: String) -> Pages.Frame.Section {
        place.hasPrefix(Pages.Frame.Section.presents.path) ? .presents : .credentials
    }

    private func unlock(_ context: WebContext) async throws -> Response {
        let place = Self.place(context.form["place"])
        do {
            try await keychain.unlock(UnlockMethod(context.form))
            return .redirect(to: place)
        } catch let error as KeychainError {
            return try await unlockPage(at: place, error.explanation, context)
        }
    }

    private func make(_ context: WebContext) async throws -> Response {
        let (place, form) = (Self.place(context.form["place"]), context.form)
        let passphrase = Secret(form["passphrase"] ?? "")
        let pin = form.secret("pin")
        if let problem = CredentialsError(passphrase, form) {
            return try await unlockPage(at: place, problem.explanation, isWeak: problem == .weakPassphrase, context)
        }
        do {
            try await keychain.create(passphrase, pin: pin)
        } catch let error as KeychainError {
            return try await unlockPage(at: place, error.explanation, context)
        }
        return .redirect(to: place)
    }
}

extension RouterMethods where Context == WebContext {
    /// Adds a page that needs the unlocked keychain; while it is locked, a form for unlocking is shown instead.
    func get(
        _ path: RouterPath = "", _ gate: KeychainGate,
        _ page: @escaping @Sendable (UnlockedKeychain, WebContext) async throws -> Response
    ) {
        get(path) { request, context in try await gate.opened(request, context) { try await page($0, context) } }
    }

    /// Adds a form action that needs the unlocked keychain.
    func post(
        _ path: RouterPath = "", _ gate: KeychainGate,
        _ action: @escaping @Sendable (UnlockedKeychain, WebContext) async throws -> Response
    ) {
        post(path) { request, context in try await gate.opened(request, context) { try await action($0, context) } }
    }
}

extension UnlockMethod {
    /// Creates the unlock method from the PIN of a form, or else the passphrase.
    init(_ form: WebForm) {
        if let pin = form["pin"], !pin.isEmpty {
            self = .pin(Secret(pin))
        } else {
            self = .passphrase(Secret(form["passphrase"] ?? ""))
        }
    }
}
