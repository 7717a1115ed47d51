// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Hummingbird
import Keychains
import Secrets

/// The routes that export presents to a sealed file, and import them:
/// the file is a separate keychain with its own passphrase.
struct SealedRoutes: Sendable {
    let gate: KeychainGate
    let pages: Pages
    let folder: PrivateFolder
    let presents: PresentRoutes

    private var keychain: WebKeychain { gate.keychain }

    func add(to router: Router<WebContext>) {
        let all = router.group(RouterPath(Pages.Frame.Section.presents.path))
        all.get("export", gate) { keychain, context in
            let count = try await keychain.items(KeychainQuery(.note)).count
            return try await page("/presents/export", count: count, context)
        }
        all.post("export", gate) { keychain, context in
            try await export(try await keychain.items(KeychainQuery(.note)), of: keychain, context)
        }
        let one = all.group("item/:item")
        one.get("export", gate) { keychain, context in
            let item = try await PresentRoutes.item(keychain, context)
            return try await page("/presents/item/\(item.id)/export", count: 1, context)
        }
        one.post("export", gate) { keychain, context in
            try await export([try await PresentRoutes.item(keychain, context)], of: keychain, context)
        }
        all.post("import", gate) { try await open($1, into: $0) }
    }

    private struct SealedPage {
        let frame: Pages.Frame
        let action: String
        let isOne: Bool
        let count: Int
        let problem: ErrorExplanation?
        let isWeak: Bool
    }

    private func page(
        _ action: String, count: Int, problem: CredentialsError? = nil, _ context: WebContext
    ) async throws -> Response {
        pages.page(
            "sealed",
            SealedPage(
                frame: await gate.frame("Share sealed", in: .presents, context), action: action, isOne: count == 1,
                count: count, problem: problem?.explanation, isWeak: problem == .weakPassphrase),
            status: problem == nil ? .ok : .badRequest)
    }

    private func export(
        _ items: [KeychainItem], of keychain: UnlockedKeychain, _ context: WebContext
    ) async throws -> Response {
        let passphrase = Secret(context.form["passphrase"] ?? "")
        if let problem = CredentialsError(passphrase, context.form) {
            let action = items.count == 1 ? "/presents/item/\(items[0].id)/export" : "/presents/export"
            return try await page(action, count: items.count, problem: problem, context)
        }
        let path = newPath()
        defer { Self.remove(path) }
        let sealed = try await Keychain.create(at: path, passphrase: passphrase, places: places)
        for item in items {
            try await sealed.add(try await keychain.contents(of: item.id) { try Present($0).sharedItem })
        }
        // The database file is complete only in a backup copy.
        let copy = newPath()
        defer { Self.remove(copy) }
        try await sealed.backup(to: copy)
        let bytes = Array(try Data(contentsOf: URL(filePath: copy)))
        let limit = RequestGuard.maximumSealedFileSize
        guard bytes.count <= limit else { throw PresentError.sealedFileTooLong(limit: limit) }
        return .download(
            bytes, name: items.count == 1 ? "present.keychain" : "all-presents.keychain")
    }

    /// Adds the notes of a sealed file that are not in the keychain yet.
    private func open(_ context: WebContext, into keychain: UnlockedKeychain) async throws -> Response {
        let form = context.form
        let path = try await self.keychain.sealedFile(named: form["sealed"])
        let contents: [NewItem]
        do {
            contents = try await self.contents(of: path, Secret(form["passphrase"] ?? ""))
        } catch let error as PresentError {
            // The file is stored only for an attempt with another passphrase.
            let isRetained = error == .wrongSealedPassphrase
            if !isRetained { await self.keychain.forgetSealedFile(form["sealed"]) }
            return try await presents.list(
                keychain, problem: error.explanation, sealed: isRetained ? form["sealed"] : nil, context)
        }
        let changes = try await keychain.store(contents)
        await self.keychain.forgetSealedFile(form["sealed"])
        return PresentRoutes.list(done: changes.allSatisfy { $0.effect == .equal } ? "known" : "opened")
    }

    /// Returns the notes of a sealed file.
    ///
    /// - Throws: ``PresentError`` for problems of the file, which is not the user's keychain, and `KeychainError`.
    private func contents(of path: String, _ passphrase: Secret) async throws -> [NewItem] {
        do {
            let sealed = try await Keychain.open(at: path, places: places).unlock(with: .passphrase(passphrase))
            var contents: [NewItem] = []
            for item in try await sealed.items(KeychainQuery(.note)) {
                contents.append(try await sealed.contents(of: item.id) { try Present($0).item })
            }
            return contents
        } catch let error as KeychainError {
            throw switch error {
            case .notKeychain, .noSlot: PresentError.noSealedFile
            case .damaged, .damagedItem: PresentError.damagedSealedFile
            case .wrongPassphrase: PresentError.wrongSealedPassphrase
            case .otherVersion(let version): PresentError.otherSealedVersion(version)
            default: error
            }
        }
    }

    /// The places of a sealed keychain: no state of it is stored, and it does not depend on this computer.
    private var places: Keychain.Places { .init(deviceSecret: folder.path + "/no-device", rememberedStates: nil) }

    private func newPath() -> String { folder.path + "/sealed-" + String(UInt64.random(in: .min ... .max), radix: 36) }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

extension CredentialsError {
    /// Checks a new passphrase of a form, and returns `nil` if there is no problem.
    init?(_ passphrase: Secret, _ form: WebForm) {
        if passphrase.isEmpty {
            self = .emptyPassphrase
        } else if passphrase != Secret(form["again"] ?? "") {
            self = .differentPassphrases
        } else if PasswordWeakness.find(in: passphrase) != nil && form["weak"] == nil {
            self = .weakPassphrase
        } else {
            return nil
        }
    }
}
