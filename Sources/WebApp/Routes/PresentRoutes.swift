// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTypes
import Hummingbird
import Keychain
import NIOCore
import Secrets

/// The pages of presents: notes of the keychain, each with a picture or without.
struct PresentRoutes: Sendable {
    let gate: KeychainGate
    let pages: Pages

    private var keychain: WebKeychain { gate.keychain }

    /// The longest title, in characters; a longer one is cut.
    private static let longestTitle = 200

    func add(to router: Router<WebContext>) {
        let all = router.group(RouterPath(Pages.Frame.Section.presents.path))
        all.get { request, context in
            let done = WebForm(ByteBuffer(string: request.uri.query ?? ""))["done"]
            return try await gate.opened(request, context) { try await list($0, done: done, context) }
        }
        // By a form, because a query would stay in the browser's history.
        all.post("search") { request, context in
            try await gate.opened(request, context) { try await list($0, text: context.form["text"], context) }
        }
        all.get("add") { request, context in
            let name = WebForm(ByteBuffer(string: request.uri.query ?? ""))["picture"]
            return try await gate.opened(request, context) { _ in try await form(name, context) }
        }
        all.post("add") { request, context in
            try await gate.opened(request, context) { try await create($0, context) }
        }
        let one = all.group("item/:item")
        one.get { request, context in try await gate.opened(request, context) { try await details($0, context) } }
        one.get("edit") { request, context in
            try await gate.opened(request, context) { try await edit($0, context) }
        }
        one.post("edit") { request, context in
            try await gate.opened(request, context) { try await save($0, context) }
        }
        one.get("remove") { request, context in
            try await gate.opened(request, context) { try await removal($0, context) }
        }
        one.post("remove") { request, context in
            try await gate.opened(request, context) { keychain in
                try await keychain.remove([try await Self.item(keychain, context).id])
                return Self.list(done: "deleted")
            }
        }
        one.get("picture") { request, context in
            try await gate.opened(request, context) { try await picture($0, Present.pictureName, context) }
        }
        one.get("thumbnail") { request, context in
            try await gate.opened(request, context) { try await picture($0, Present.thumbnailName, context) }
        }
        one.get("file") { request, context in
            try await gate.opened(request, context) { try await file($0, context) }
        }
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
        /// Whether there is none, so that no search is at fault.
        let isEmpty: Bool
    }

    private static let outcomes = [
        "deleted": "Deleted.", "opened": "The presents of the file were added.",
        "known": "All presents of the file were here before.",
    ]

    private func list(
        _ keychain: UnlockedKeychain, text: String? = nil, done: String? = nil, _ context: WebContext
    ) async throws -> Response {
        let text = text ?? ""
        let all = try await keychain.items(KeychainQuery(.note)).reversed()
        let found = all.filter { text.isEmpty || $0.label.lowercased().contains(text.lowercased()) }
        return pages.page(
            "presents",
            ListPage(
                frame: await frame("Presents", context), outcome: done.flatMap { Self.outcomes[$0] }, text: text,
                presents: found.map { PresentView($0) }, isEmpty: all.isEmpty))
    }

    // MARK: One present

    private struct DetailsPage {
        let frame: Pages.Frame
        let present: PresentView
        let text: String
        let hasPicture: Bool
        /// The names of what another program attached.
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

    /// A picture that this program encoded; a space where there is none.
    private func picture(
        _ keychain: UnlockedKeychain, _ name: String, _ context: WebContext
    ) async throws -> Response {
        let item = try await Self.item(keychain, context)
        do {
            return Self.picture(try await keychain.attachment(name, of: item))
        } catch KeychainError.noAttachment {
            return Response(
                status: .ok,
                headers: [.contentType: "image/svg+xml", .contentSecurityPolicy: SafetyFields.contentPolicy],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.present_svg)))
        }
    }

    static func picture(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: ScaledPicture.mediaType, .contentSecurityPolicy: SafetyFields.contentPolicy,
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The picture, or the text where there is none, as a file to pass on.
    private func file(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let present = try await Present(try await Self.item(keychain, context), of: keychain)
        guard let picture = present.picture else {
            return Self.download(present.text.withUnsafeBytes { Array($0) }, name: "present.txt")
        }
        return Self.download(picture, name: "present.jpg")
    }

    static func download(_ bytes: [UInt8], name: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/octet-stream",
                .contentDisposition: "attachment; filename=\"\(name)\"",
                .contentSecurityPolicy: SafetyFields.contentPolicy,
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    // MARK: Adding and editing

    private struct FormPage {
        let frame: Pages.Frame
        let action: String
        /// The present that is edited.
        let present: PresentView?
        let title: String
        let text: String
        /// The picture that waits for the form.
        let picture: String?
        /// The path of the picture that is shown.
        let shown: String?
        let hasPicture: Bool
    }

    private func form(_ name: String?, _ context: WebContext) async throws -> Response {
        let picture = name == nil ? nil : try await keychain.picture(named: name)
        return pages.page(
            "present-form",
            FormPage(
                frame: await frame("New present", context), action: "/presents/add", present: nil,
                title: picture?.title ?? "", text: "", picture: name, shown: name.map { "/presents/picture/\($0)" },
                hasPicture: false))
    }

    private func edit(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let item = try await Self.item(keychain, context)
        guard case .note(let text, let facts) = try await keychain.secret(of: item) else {
            throw PresentError.noPresent
        }
        let hasPicture = facts.contains { $0.name == Present.pictureName }
        return pages.page(
            "present-form",
            FormPage(
                frame: await frame("Edit the present", context), action: "/presents/item/\(item.id)/edit",
                present: PresentView(item), title: item.label, text: text.text, picture: nil,
                shown: hasPicture ? "/presents/item/\(item.id)/picture" : nil, hasPicture: hasPicture))
    }

    private func create(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let fields = try await fields(context.form)
        let item = try await keychain.add(
            Present(title: fields.title, text: fields.text, picture: fields.picture).item)
        return try await saved(item, context.form)
    }

    private func save(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let item = try await Self.item(keychain, context)
        let fields = try await fields(context.form)
        let changed = try await Present(item, of: keychain).changed(
            title: fields.title, text: fields.text, picture: fields.picture,
            keepsPicture: context.form["without-picture"] == nil)
        return try await saved(try await keychain.replace(item.id, by: changed.item), context.form)
    }

    private func fields(_ form: WebForm) async throws -> (title: String, text: Secret, picture: ScaledPicture?) {
        let title = String(
            (form["title"] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(Self.longestTitle)
        )
        // Browsers send the ends of lines as CRLF (HTML section 4.10.22.7).
        let text = Secret((form["text"] ?? "").replacing("\r\n", with: "\n"))
        guard let name = form["picture"], !name.isEmpty else { return (title, text, nil) }
        return (title, text, try await keychain.picture(named: name))
    }

    private func saved(_ item: KeychainItem, _ form: WebForm) async throws -> Response {
        await keychain.forgetPicture(form["picture"])
        // A form that is left idle is saved before the keychain is locked.
        if form["lock"] != nil { try await keychain.lock() }
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
    /// What a page shows.
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
