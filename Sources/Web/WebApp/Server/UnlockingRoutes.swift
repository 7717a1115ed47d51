// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Hummingbird
import Keychains
import Secrets

/// The routes that change the passphrase and the PIN of the keychain.
///
/// Each form asks for the passphrase, because an agent does not have the root key that a new key slot requires.
struct UnlockingRoutes: Sendable {
    let gate: KeychainGate
    let pages: Pages

    private static let place = "/credentials/unlocking"

    private struct UnlockingPage {
        let frame: Pages.Frame
        let hasPIN: Bool
        let outcome: String?
        let problem: ErrorExplanation?
        /// Whether a weak passphrase was chosen, which must be confirmed or changed.
        let isWeak: Bool
        let minimumPINLength = PINPolicy.minimumLength
    }

    func add(to router: Router<WebContext>) {
        let group = router.group(RouterPath(Self.place))
        group.get("", gate) { _, context in try await page(context) }
        group.post("passphrase", gate) { _, context in
            try await change(context, "The passphrase was changed.") { keychain in
                let new = Secret(context.form["new"] ?? "")
                if let problem = CredentialsError(new, context.form) { throw problem }
                try await keychain.changePassphrase(to: new)
            }
        }
        group.post("pin", gate) { _, context in
            try await change(context, "The PIN was set.") { keychain in
                let limit = try await keychain.keychain.slots.first { $0.kind == .pin }?.eraseAfter
                try await keychain.changePIN(
                    to: Secret(context.form["pin"] ?? ""), policy: PINPolicy(eraseAfter: limit))
            }
        }
        group.post("no-pin", gate) { _, context in
            try await change(context, "The PIN was removed.") { keychain in
                for slot in try await keychain.keychain.slots where slot.kind == .pin {
                    try await keychain.removeSlot(slot.id)
                }
            }
        }
    }

    private func change(
        _ context: WebContext, _ outcome: String,
        _ body: @escaping @Sendable (UnlockedKeychain) async throws -> Void
    ) async throws -> Response {
        do {
            try await gate.keychain.changeSlots(Secret(context.form["passphrase"] ?? ""), body)
            return try await page(context, outcome)
        } catch let error as KeychainError {
            return try await page(context, problem: error.explanation)
        } catch let error as CredentialsError {
            return try await page(context, problem: error.explanation, isWeak: error == .weakPassphrase)
        }
    }

    private func page(
        _ context: WebContext, _ outcome: String? = nil, problem: ErrorExplanation? = nil, isWeak: Bool = false
    ) async throws -> Response {
        let slots = try await gate.keychain.slots ?? []
        return pages.page(
            "unlocking",
            UnlockingPage(
                frame: await gate.frame("Passphrase and PIN", in: .credentials, context),
                hasPIN: slots.contains { $0.kind == .pin }, outcome: outcome, problem: problem, isWeak: isWeak),
            status: problem == nil ? .ok : .badRequest)
    }
}
