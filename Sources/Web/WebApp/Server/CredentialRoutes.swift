// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import HTTPTypes
import Hummingbird
import Keychains
import Secrets
import X509

/// The pages for the keychain's credentials.
struct CredentialRoutes: Sendable {
    let gate: KeychainGate
    let pages: Pages
    private let anchors = SystemAnchors()

    /// The word that the user must type to confirm that all credentials are removed.
    private static let resetWord = "delete"

    init(gate: KeychainGate, pages: Pages) { (self.gate, self.pages) = (gate, pages) }

    func add(to router: Router<WebContext>) {
        let all = router.group("/credentials")
        all.get { request, context in try await gate.opened(request, context) { try await list($0, request, context) } }
        all.get("reset", gate) { try await removal(of: nil, count: try await credentials($0).all.count, $1) }
        all.post("reset", gate) { try await reset($0, $1.form) }
        let one = all.group("item/:item")
        one.get("", gate, details)
        one.get("chain", gate, chain)
        one.get("remove", gate) { try await removal(of: try await $0.credential($1).view, count: 1, $1) }
        one.post("remove", gate) { keychain, context in
            try await keychain.remove([try await keychain.credential(context).item.id])
            return Self.list("removed")
        }
    }

    static func list(_ outcome: String? = nil) -> Response {
        .redirect(to: "/credentials" + (outcome.map { "?done=\($0)" } ?? ""))
    }

    // MARK: The list

    private struct ListPage {
        struct Choice {
            let word: String
            let count: Int
            let link: String
            let isChosen: Bool
        }

        let frame: Pages.Frame
        let outcome: String?
        let text: String
        let kind: String?
        let kinds: [Choice]
        let items: [CredentialView]
        /// The sentences about damage of the keychain.
        let damage: [String]
        /// Whether the keychain is empty, as opposed to a search without results.
        let isEmpty: Bool
    }

    private static let outcomes = [
        "added": "Added.", "changed": "It was in the keychain before, and was changed.",
        "known": "All of it was in the keychain before.", "removed": "Removed.",
        "reset": "All credentials were removed.",
    ]

    private func credentials(
        _ keychain: UnlockedKeychain
    ) async throws -> (all: [CredentialView], damage: [KeychainDamage]) {
        let now = Date()
        let listing = try await keychain.listing()
        return (listing.items.compactMap { CredentialView($0, at: now) }, listing.damage)
    }

    private func list(
        _ keychain: UnlockedKeychain, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let query = request.query
        let (text, kind) = (query["text"] ?? "", query["kind"].flatMap(CredentialView.Kind.init))
        let (all, damage) = try await credentials(keychain)
        let found = text.isEmpty ? all : all.filter { $0.contains(text) }
        let search = text.isEmpty ? "" : "&text=\(WebForm.encode(text))"
        let kinds =
            [
                ListPage.Choice(
                    word: "All", count: found.count, link: "/credentials?" + search.dropFirst(), isChosen: kind == nil)
            ]
            + CredentialView.Kind.allCases.map { one in
                ListPage.Choice(
                    word: one.plural, count: found.count { $0.kind == one },
                    link: "/credentials?kind=\(one.rawValue)\(search)", isChosen: kind == one)
            }
        return pages.page(
            "credentials",
            ListPage(
                frame: await gate.frame("Credentials", in: .credentials, context),
                outcome: query["done"].flatMap { Self.outcomes[$0] },
                text: text, kind: kind?.rawValue, kinds: kinds,
                items: found.filter { kind == nil || $0.kind == kind }, damage: damage.map(\.message),
                isEmpty: all.isEmpty))
    }

    // MARK: One credential

    private struct DetailsPage {
        let frame: Pages.Frame
        let credential: CredentialView
        /// The certificates, leaf first.
        let certificates: [PendingImport.Entry]
        let hasCertificates: Bool
        let hasPicture: Bool
        /// The reason why the certificates cannot be read now.
        let problem: String?
    }

    private func details(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let (item, view) = try await keychain.credential(context)
        var (certificates, problem) = ([PendingImport.Entry](), String?.none)
        if view.fingerprint != nil {
            do {
                certificates = try await keychain.secret(of: item).chain.map {
                    PendingImport.Entry(CertificateSummary($0), isIdentity: false)
                }
            } catch let error as KeychainError {
                problem = error.explanation.text
            }
        }
        return pages.page(
            "credential",
            DetailsPage(
                frame: await gate.frame("Credential", in: .credentials, context), credential: view,
                certificates: certificates,
                hasCertificates: !certificates.isEmpty,
                hasPicture: view.kind == .identity && !certificates.isEmpty, problem: problem))
    }

    /// Draws the paths from an identity to the anchors of the system and the keychain,
    /// as a TLS server would build them.
    private func chain(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let (item, view) = try await keychain.credential(context)
        guard view.kind == .identity, let chain = PresentedChain(try await keychain.secret(of: item).chain) else {
            throw CredentialsError.noItem
        }
        let policy = try await keychain.trustSettings.policy(TrustPolicy(anchors: .systemAnd([])), for: nil)
        let evaluator = TrustEvaluator(policy: policy, systemAnchors: try anchors.store(for: policy))
        let now = Date()
        let verdict = evaluator.evaluate(
            chain, for: [], requirements: PathRequirements(purposes: [.clientAuth]), at: now, with: TrustEvidence())
        let picture = TrustPicture(of: view.title, from: chain.leaf, verdict, at: now)
        return .content("image/svg+xml", Array(picture.svg.utf8))
    }

    // MARK: Removing

    private struct RemovalPage {
        let frame: Pages.Frame
        /// The credential to remove; `nil` for all.
        let credential: CredentialView?
        let count: Int
        let word: String
    }

    private func removal(of credential: CredentialView?, count: Int, _ context: WebContext) async throws -> Response {
        let title = credential == nil ? "Remove all credentials" : "Remove a credential"
        return pages.page(
            "removal",
            RemovalPage(
                frame: await gate.frame(title, in: .credentials, context), credential: credential, count: count,
                word: Self.resetWord))
    }

    /// Removes all items except notes.
    private func reset(_ keychain: UnlockedKeychain, _ form: WebForm) async throws -> Response {
        guard form["word"]?.lowercased() == Self.resetWord else {
            throw CredentialsError.wordMissing(Self.resetWord)
        }
        let listing = try await keychain.listing()
        let damage = Set(listing.damage)
        let items = listing.items.filter { $0.kind.itemClass != .note && !damage.contains(.secret($0)) }
        try await keychain.remove(items.map(\.id))
        return Self.list("reset")
    }
}

extension UnlockedKeychain {
    /// Returns the credential that a page's path names.
    ///
    /// - Throws: ``CredentialsError/noItem``, `KeychainError`.
    func credential(_ context: WebContext) async throws -> (item: KeychainItem, view: CredentialView) {
        guard let number = context.parameters.get("item", as: Int64.self) else { throw CredentialsError.noItem }
        do {
            let item = try await item(KeychainItem.ID(number))
            guard let view = CredentialView(item, at: Date()) else { throw CredentialsError.noItem }
            return (item, view)
        } catch KeychainError.noItem {
            throw CredentialsError.noItem
        }
    }
}

extension ItemSecret {
    /// The chain of a certificate or identity, leaf first.
    fileprivate var chain: [Certificate] {
        switch self {
        case .certificate(let certificate): [certificate]
        case .identity(let identity): identity.chain
        case .password, .note: []
        }
    }
}
