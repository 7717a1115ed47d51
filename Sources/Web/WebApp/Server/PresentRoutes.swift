// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTypes
import Hummingbird
import Keychains
import Secrets

/// The pages for presents: notes in the keychain, with or without a picture.
struct PresentRoutes: Sendable {
    let gate: KeychainGate
    let pages: Pages

    private var keychain: WebKeychain { gate.keychain }

    func add(to router: Router<WebContext>) {
        let all = router.group(RouterPath(Pages.Frame.Section.presents.path))
        all.get { request, context in
            let done = request.query["done"]
            return try await gate.opened(request, context) { try await list($0, done: done, context) }
        }
        // The search uses a form, because a query would stay in the browser's history.
        all.post("search", gate) { try await list($0, text: $1.form["text"], $1) }
        all.get("add") { request, context in
            let query = request.query
            return try await gate.opened(request, context) { _ in try await form(query, context) }
        }
        all.post("add") { request, context in
            let draft = PresentDraft(context.form)
            return try await gate.opened(request, context, keeping: draft) { try await create($0, draft, context) }
        }
        let one = all.group("item/:item")
        one.get("", gate, details)
        one.get("edit") { request, context in
            let draft = request.query["draft"]
            return try await gate.opened(request, context) { try await edit($0, draft: draft, context) }
        }
        one.post("edit") { request, context in
            let draft = PresentDraft(context.form)
            return try await gate.opened(request, context, keeping: draft) { try await save($0, draft, context) }
        }
        one.get("remove", gate, removal)
        one.post("remove", gate) { keychain, context in
            try await keychain.remove([try await Self.item(keychain, context).id])
            return Self.list(done: "deleted")
        }
        one.get("picture", gate) { try await picture($0, Present.pictureName, $1) }
        one.get("thumbnail", gate) { try await picture($0, Present.thumbnailName, $1) }
        one.get("file", gate, file)
    }

    static func list(done: String) -> Response {
        .redirect(to: Pages.Frame.Section.presents.path + "?done=\(done)")
    }

    static func item(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> KeychainItem {
        guard let number = context.parameters.get("item", as: Int64.self) else { throw PresentError.noPresent }
        do {
            let item = try await keychain.item(KeychainItem.ID(number))
            guard item.kind.itemClass == .note else { throw PresentError.noPresent }
            return item
        } catch KeychainError.noItem {
            throw PresentError.noPresent
        }
    }

    private func frame(_ title: String, _ context: WebContext) async -> Pages.Frame {
        await gate.frame(title, in: .presents, context)
    }

    // MARK: The list

    private struct ListPage {
        let frame: Pages.Frame
        let outcome: String?
        let text: String
        let presents: [PresentView]
        /// The sentences about damage of the keychain.
        let damage: [String]
        /// Whether there are no presents, as opposed to a search without results.
        let isEmpty: Bool
        let problem: ErrorExplanation?
        /// The name of the uploaded sealed file that waits for its passphrase; empty for none.
        let sealed: String
        let hasSealed: Bool
    }

    private static let outcomes = [
        "deleted": "Deleted.", "opened": "The presents of the file were added.",
        "known": "All presents of the file were here before.",
    ]

    /// Returns the page with the list of presents.
    ///
    /// - Parameters:
    ///   - keychain: The keychain.
    ///   - text: The text that the titles must contain; `nil` for all.
    ///   - done: The outcome of the previous action.
    ///   - problem: The reason why a sealed file was not opened.
    ///   - sealed: The name of the uploaded sealed file.
    ///   - context: The request context.
    /// - Returns: The page.
    /// - Throws: `KeychainError`.
    func list(
        _ keychain: UnlockedKeychain, text: String? = nil, done: String? = nil, problem: ErrorExplanation? = nil,
        sealed: String? = nil, _ context: WebContext
    ) async throws -> Response {
        let text = text ?? ""
        let listing = try await keychain.listing(KeychainQuery(.note))
        let all = listing.items.reversed()
        let found = all.filter { text.isEmpty || $0.label.lowercased().contains(text.lowercased()) }
        return pages.page(
            "presents",
            ListPage(
                frame: await frame("Presents", context), outcome: done.flatMap { Self.outcomes[$0] }, text: text,
                presents: found.map { PresentView($0) }, damage: listing.damage.map(\.message), isEmpty: all.isEmpty,
                problem: problem, sealed: sealed ?? "", hasSealed: sealed != nil),
            status: problem == nil ? .ok : .badRequest)
    }

    // MARK: One present

    private struct DetailsPage {
        let frame: Pages.Frame
        let present: PresentView
        let text: String
        let hasPicture: Bool
        /// The names of the attachments of other programs.
        let others: [String]
        let hasOthers: Bool
    }

    private func details(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let item = try await Self.item(keychain, context)
        guard case .note(let text, let facts) = try await keychain.secret(of: item) else {
            throw PresentError.noPresent
        }
        let names = facts.map(\.name)
        let others = names.filter { $0 != Present.pictureName && $0 != Present.thumbnailName }.map(\.printable)
        return pages.page(
            "present",
            DetailsPage(
                frame: await frame("Present", context), present: PresentView(item), text: text.text.printableLines,
                hasPicture: names.contains(Present.pictureName), others: others, hasOthers: !others.isEmpty))
    }

    /// Returns a picture that this program encoded, or a placeholder drawing if there is none.
    private func picture(
        _ keychain: UnlockedKeychain, _ name: String, _ context: WebContext
    ) async throws -> Response {
        let item = try await Self.item(keychain, context)
        do {
            return .content(ScaledPicture.mediaType, try await keychain.attachment(name, of: item))
        } catch KeychainError.noAttachment {
            return .content("image/svg+xml", PackageResources.present_svg)
        }
    }

    /// Returns the picture, or the text if there is none, as a file to share.
    private func file(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let item = try await Self.item(keychain, context)
        guard case .note(let text, let facts) = try await keychain.secret(of: item) else {
            throw PresentError.noPresent
        }
        guard facts.contains(where: { $0.name == Present.pictureName }) else {
            return .download(text.withUnsafeBytes { Array($0) }, name: "present.txt")
        }
        return .download(try await keychain.attachment(Present.pictureName, of: item), name: "present.jpg")
    }

    // MARK: Adding and editing

    private struct FormPage {
        let frame: Pages.Frame
        let action: String
        /// The present to edit.
        let present: PresentView?
        let title: String
        let text: String
        /// The name of the uploaded picture; empty for none.
        let picture: String
        /// The path of the displayed picture.
        let shown: String?
        let hasPicture: Bool
        /// Whether the uploaded picture is no longer stored.
        let isPictureExpired: Bool
    }

    private func form(_ query: WebForm, _ context: WebContext) async throws -> Response {
        if let draft = await keychain.takeDraft(named: query["draft"]) { return await form(draft, of: nil, context) }
        let name = query["picture"]
        let picture = name == nil ? nil : try await keychain.picture(named: name)
        let draft = PresentDraft(title: picture?.title ?? "", text: Secret(""), picture: name ?? "")
        return await form(draft, of: nil, context)
    }

    private func edit(
        _ keychain: UnlockedKeychain, draft name: String?, _ context: WebContext
    ) async throws -> Response {
        let item = try await Self.item(keychain, context)
        guard case .note(let text, let facts) = try await keychain.secret(of: item) else {
            throw PresentError.noPresent
        }
        let hasPicture = facts.contains { $0.name == Present.pictureName }
        let draft = await self.keychain.takeDraft(named: name) ?? PresentDraft(title: item.label, text: text)
        return await form(draft, of: item, hasPicture: hasPicture, context)
    }

    private func form(
        _ draft: PresentDraft, of item: KeychainItem?, hasPicture: Bool = false, isPictureExpired: Bool = false,
        _ context: WebContext
    ) async -> Response {
        let path = item.map { "/presents/item/\($0.id)" }
        let shown =
            draft.picture.isEmpty
            ? (hasPicture ? path.map { $0 + "/picture" } : nil) : "/presents/picture/\(draft.picture)"
        return pages.page(
            "present-form",
            FormPage(
                frame: await frame(item == nil ? "New present" : "Edit the present", context),
                action: path.map { $0 + "/edit" } ?? "/presents/add", present: item.map { PresentView($0) },
                title: draft.title, text: draft.text.text, picture: draft.picture, shown: shown, hasPicture: hasPicture,
                isPictureExpired: isPictureExpired))
    }

    private func create(
        _ keychain: UnlockedKeychain, _ draft: PresentDraft, _ context: WebContext
    ) async throws -> Response {
        do {
            let picture = try await picture(of: draft)
            // A form that is sent twice creates only one present.
            let new = Present(title: draft.title, text: draft.text, picture: picture).item
            guard let item = try await keychain.store([new]).first?.item else { throw PresentError.noPresent }
            return await saved(item, draft)
        } catch PresentError.uploadExpired {
            return await form(draft.withoutPicture, of: nil, isPictureExpired: true, context)
        }
    }

    private func save(
        _ keychain: UnlockedKeychain, _ draft: PresentDraft, _ context: WebContext
    ) async throws -> Response {
        let item = try await Self.item(keychain, context)
        do {
            let picture = try await picture(of: draft)
            let changed = try await keychain.edit(item.id) { contents in
                try Present(contents).changed(
                    title: draft.title, text: draft.text, picture: picture, keepsPicture: !draft.removesPicture
                ).item
            }
            return await saved(changed, draft)
        } catch PresentError.uploadExpired {
            let hasPicture = try await keychain.contents(of: item.id) { try Present($0).picture != nil }
            return await form(draft.withoutPicture, of: item, hasPicture: hasPicture, isPictureExpired: true, context)
        }
    }

    private func picture(of draft: PresentDraft) async throws -> ScaledPicture? {
        draft.picture.isEmpty ? nil : try await keychain.picture(named: draft.picture)
    }

    private func saved(_ item: KeychainItem, _ draft: PresentDraft) async -> Response {
        await keychain.forgetPicture(draft.picture)
        return .redirect(to: "/presents/item/\(item.id)")
    }

    // MARK: Removing

    private struct RemovalPage {
        let frame: Pages.Frame
        let present: PresentView
    }

    private func removal(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let item = try await Self.item(keychain, context)
        return pages.page(
            "present-removal",
            RemovalPage(frame: await frame("Delete a present", context), present: PresentView(item)))
    }
}

extension Secret {
    /// The secret as text, for a page.
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
