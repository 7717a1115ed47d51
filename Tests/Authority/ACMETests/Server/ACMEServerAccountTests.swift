// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import Crypto
import Foundation
import HTTPTypes
import Secrets
import Testing
import X509

@Suite struct ACMEServerAccountTests {
    @Test("A new account is made with 201 and found again with 200") func newAccount() async throws {
        let lab = try ServerLab()
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let payload = #"{"contact":["mailto:mary@example.org"]}"#
        let made = try await lab.post(payload, to: "/new-account", by: .key(key))
        #expect(made.status == .created)
        let account = try made.decode(ACMEAccountObject.self)
        #expect(account.status == .valid)
        #expect(account.contact == ["mailto:mary@example.org"])
        let url = try #require(made.headers[.location])
        #expect(account.orders == url + "/orders")
        let found = try await lab.post("{}", to: "/new-account", by: .key(key))
        #expect(found.status == .ok)
        #expect(found.headers[.location] == url)
        #expect(try found.decode(ACMEAccountObject.self).contact == ["mailto:mary@example.org"])
        let only = try await lab.post(#"{"onlyReturnExisting":true}"#, to: "/new-account", by: .key(key))
        #expect(only.status == .ok)
        #expect(only.headers[.location] == url)
    }

    @Test("onlyReturnExisting creates no account") func onlyExisting() async throws {
        let lab = try ServerLab()
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        for _ in 0..<2 {
            let response = try await lab.post(#"{"onlyReturnExisting":true}"#, to: "/new-account", by: .key(key))
            try response.expect(.accountDoesNotExist, 400)
        }
    }

    @Test("Of 20 concurrent requests for an account with the same key, one creates it") func parallel() async throws {
        let lab = try ServerLab()
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let responses = try await withThrowingTaskGroup(of: ACMEServerResponse.self) { group in
            for _ in 0..<20 { group.addTask { try await lab.post("{}", to: "/new-account", by: .key(key)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.count { $0.status == .created } == 1)
        #expect(Set(responses.map { $0.headers[.location] }).count == 1)
    }

    @Test("A new account needs its key, not a kid") func kid() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        try await lab.post("{}", to: "/new-account", by: account).expect(.malformed, 400)
    }

    @Test(
        "A payload that is not an account is refused",
        arguments: ["", "[]", "{", #"{"contact":"a"}"#, #"{"contact":[1]}"#])
    func payloads(payload: String) async throws {
        let lab = try ServerLab()
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        try await lab.post(payload, to: "/new-account", by: .key(key)).expect(.malformed, 400)
    }

    @Test("The terms of service must be agreed to", arguments: ["{}", #"{"termsOfServiceAgreed":false}"#])
    func terms(payload: String) async throws {
        let terms = "https://ca.test/terms"
        let lab = try ServerLab { $0.termsOfService = terms }
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let response = try await lab.post(payload, to: "/new-account", by: .key(key))
        #expect(try response.expect(.userActionRequired, 403).instance == terms)
        #expect(response.links.contains("<\(terms)>;rel=\"terms-of-service\""))
        let agreed = try await lab.post(#"{"termsOfServiceAgreed":true}"#, to: "/new-account", by: .key(key))
        #expect(agreed.status == .created)
        #expect(try agreed.decode(ACMEAccountObject.self).termsOfServiceAgreed == true)
    }

    static let contactForms: [([String], ACMEProblem.Kind?)] = [
        (["mailto:mary@example.org", "MAILTO:m@example.org"], nil), ([], nil),
        (["tel:+12025551212"], .unsupportedContact), (["mary@example.org"], .unsupportedContact),
        (["mailto:a@example.org,b@example.org"], .invalidContact),
        (["mailto:a@example.org?subject=b"], .invalidContact),
        (["mailto:"], .invalidContact), (["mailto:@"], .invalidContact), (["mailto:a@b@c"], .invalidContact),
        (["mailto:a b@example.org"], .invalidContact), (["mailto:a@exa\u{7}mple.org"], .invalidContact),
        (["mailto:" + String(repeating: "a", count: 250) + "@b.example"], .invalidContact),
        ((0...10).map { "mailto:a\($0)@example.org" }, .invalidContact),
    ]

    @Test("A contact must be a single mail address", arguments: contactForms)
    func contacts(contacts: [String], kind: ACMEProblem.Kind?) async throws {
        let lab = try ServerLab()
        let payload = String(decoding: try JSONEncoder().encode(["contact": contacts]), as: UTF8.self)
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let made = try await lab.post(payload, to: "/new-account", by: .key(key))
        let account = try await lab.account()
        let updated = try await lab.post(payload, to: account.path, by: account)
        if let kind {
            try made.expect(kind, 400)
            try updated.expect(kind, 400)
        } else {
            #expect(made.status == .created)
            #expect(try updated.decode(ACMEAccountObject.self).contact ?? [] == contacts)
        }
    }

    @Test("An account is read and changed, and members that are not named are unchanged") func update() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let contact = #"{"contact":["mailto:mary@example.org"]}"#
        #expect(try await lab.post(contact, to: account.path, by: account).status == .ok)
        // RFC 8555 section 7.3.2: fields that cannot be changed are ignored.
        let ignored = #"{"termsOfServiceAgreed":true,"orders":"https://a.test/"}"#
        let response = try await lab.post(ignored, to: account.path, by: account)
        #expect(try response.decode(ACMEAccountObject.self).contact == ["mailto:mary@example.org"])
        #expect(try response.decode(ACMEAccountObject.self).orders == account.url + "/orders")
        let read = try await lab.post("", to: account.path, by: account)
        #expect(try read.decode(ACMEAccountObject.self).contact == ["mailto:mary@example.org"])
        #expect(read.headers[.location] == account.url)
    }

    @Test("An account can be changed by its own key only, and only to the status deactivated") func updateRefusals()
        async throws
    {
        let lab = try ServerLab()
        let (account, other) = (try await lab.account(), try await lab.account())
        try await lab.post("", to: account.path, by: other).expect(.unauthorized, 403)
        try await lab.post(#"{"status":"deactivated"}"#, to: account.path, by: other).expect(.unauthorized, 403)
        try await lab.post("", to: account.path + "/orders", by: other).expect(.unauthorized, 403)
        try await lab.post(#"{"status":"revoked"}"#, to: account.path, by: account).expect(.malformed, 400)
        try await lab.post("[]", to: account.path, by: account).expect(.malformed, 400)
        try await lab.post("", to: account.path, by: .key(account.key)).expect(.malformed, 400)
        try await lab.post("{}", to: account.path + "/orders", by: account).expect(.malformed, 400)
        #expect(try await lab.post("", to: account.path, by: account).decode(ACMEAccountObject.self).status == .valid)
    }

    @Test("A deactivated account cannot be used, and its key cannot create another one") func deactivate() async throws
    {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        let response = try await lab.post(#"{"status":"deactivated"}"#, to: account.path, by: account)
        #expect(try response.decode(ACMEAccountObject.self).status == .deactivated)
        try await lab.post("", to: account.path, by: account).expect(.unauthorized, 403)
        try await lab.newOrder(["a.example"], by: account).expect(.unauthorized, 403)
        try await lab.post(ServerLab.csr(["a.example"]), to: order.finalize, by: account).expect(.unauthorized, 403)
        try await lab.post("{}", to: "/new-account", by: .key(account.key)).expect(.unauthorized, 403)
        #expect(await lab.issuer.requests.isEmpty)
    }

    @Test("The list of an account's orders omits failed orders") func orders() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let first = try await lab.order(["a.example"], by: account)
        let second = try await lab.order(["b.example"], by: account)
        let failed = try await lab.order(["c.example"], by: account)
        _ = try await lab.post(#"{"status":"deactivated"}"#, to: failed.authorization, by: account)
        let list = try await lab.post("", to: account.path + "/orders", by: account).decode([String: [String]].self)
        #expect(list == ["orders": [first, second].map { ServerLab.base + $0.path }])
    }
}

@Suite struct ACMEServerExternalAccountTests {
    static let secret = Secret("0123456789abcdef0123456789abcdef")
    static let newAccount = ServerLab.base + "/new-account"

    static func lab() throws -> ServerLab {
        try ServerLab { $0.externalAccountKey = { $0 == "kid-1" ? secret : nil } }
    }

    static func payload(_ binding: [UInt8]) -> String {
        #"{"externalAccountBinding":\#(String(decoding: binding, as: UTF8.self))}"#
    }

    @Test("An account with a valid binding is created") func bound() async throws {
        let lab = try Self.lab()
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let external = ExternalAccount(identifier: "kid-1", key: Self.secret)
        let binding = try JSONWebSignature.bind(key.publicKey, to: external, url: Self.newAccount)
        let response = try await lab.post(Self.payload(binding), to: "/new-account", by: .key(key))
        #expect(response.status == .created)
    }

    @Test("An account without a binding is refused") func absent() async throws {
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let response = try await Self.lab().post("{}", to: "/new-account", by: .key(key))
        try response.expect(.externalAccountRequired, 403)
    }

    enum Fault: CaseIterable {
        case otherSecret, otherIdentifier, otherURL, otherKey, signedByAccount, withNonce, noObject, changed

        func binding(of key: AccountKey) throws -> String {
            let url = newAccount
            func bind(
                _ bound: AccountKey? = nil, as identifier: String = "kid-1", secret: Secret = secret, url: String = url
            ) throws -> String {
                let external = ExternalAccount(identifier: identifier, key: secret)
                let bytes = try JSONWebSignature.bind((bound ?? key).publicKey, to: external, url: url)
                return String(decoding: bytes, as: UTF8.self)
            }
            switch self {
            case .otherSecret: return try bind(secret: Secret("another"))
            case .otherIdentifier: return try bind(as: "kid-2")
            case .otherURL: return try bind(url: ServerLab.base + "/new-order")
            case .otherKey: return try bind(AccountKey(.init(P256.Signing.PrivateKey())))
            case .signedByAccount:
                let payload = try JSONEncoder().encode(key.publicKey)
                let bytes = try JSONWebSignature.sign(payload, as: "kid-1", url: url, with: key)
                return String(decoding: bytes, as: UTF8.self)
            case .withNonce:
                return try Fault.hand(#"{"alg":"HS256","kid":"kid-1","nonce":"QUJD","url":"\#(url)"}"#, key)
            case .noObject: return "7"
            case .changed: return try bind().replacing(#""signature":""#, with: #""signature":"AAAA"#)
            }
        }

        private static func hand(_ header: String, _ key: AccountKey) throws -> String {
            let protected = Base64URL.encode(Array(header.utf8))
            let payload = Base64URL.encode(try JSONEncoder().encode(key.publicKey))
            let tag = secret.withUnsafeBytes {
                HMAC<SHA256>.authenticationCode(
                    for: Data("\(protected).\(payload)".utf8), using: SymmetricKey(data: $0))
            }
            return #"{"protected":"\#(protected)","payload":"\#(payload)","signature":"\#(Base64URL.encode(tag))"}"#
        }

        var refusal: (ACMEProblem.Kind, Int) {
            switch self {
            case .otherSecret, .otherIdentifier, .signedByAccount, .changed: (.unauthorized, 403)
            case .otherURL, .otherKey, .withNonce, .noObject: (.malformed, 400)
            }
        }
    }

    @Test("An invalid binding is refused, and no account is created", arguments: Fault.allCases)
    func refused(fault: Fault) async throws {
        let lab = try Self.lab()
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let payload = Self.payload(Array(try fault.binding(of: key).utf8))
        let (kind, status) = fault.refusal
        try await lab.post(payload, to: "/new-account", by: .key(key)).expect(kind, status)
        let only = try await lab.post(#"{"onlyReturnExisting":true}"#, to: "/new-account", by: .key(key))
        try only.expect(.accountDoesNotExist, 400)
    }

    @Test("An unknown identifier and a wrong key are refused with the same message") func oracle() async throws {
        let lab = try Self.lab()
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        var texts: Set<String> = []
        for fault in [Fault.otherSecret, .otherIdentifier] {
            let payload = Self.payload(Array(try fault.binding(of: key).utf8))
            texts.insert(try await lab.post(payload, to: "/new-account", by: .key(key)).text)
        }
        #expect(texts.count == 1)
    }
}

@Suite struct ACMEServerKeyChangeTests {
    static let url = ServerLab.base + "/key-change"

    /// Creates the inner request of a key change, valid unless an argument changes a part.
    static func inner(
        _ account: TestAccount, new: AccountKey, name: String? = nil, old: AccountKey? = nil, signer: AccountKey? = nil,
        kid: String? = nil, nonce: String? = nil, url: String = url
    ) throws -> String {
        let key = String(decoding: try JSONEncoder().encode((old ?? account.key).publicKey), as: UTF8.self)
        let payload = #"{"account":"\#(name ?? account.url)","oldKey":\#(key)}"#
        let bytes = try JSONWebSignature.sign(
            Array(payload.utf8), as: kid, nonce: nonce, url: url, with: signer ?? new)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("After a key change only the new key is accepted, and the old key is free") func change() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let new = try AccountKey(.init(P384.Signing.PrivateKey()))
        let response = try await lab.post(Self.inner(account, new: new), to: "/key-change", by: account)
        #expect(response.status == .ok)
        let changed = TestAccount(key: new, url: account.url)
        #expect(try await lab.post("", to: account.path, by: changed).status == .ok)
        try await lab.post("", to: account.path, by: account).expect(.badSignatureAlgorithm, 400)
        let found = try await lab.post(#"{"onlyReturnExisting":true}"#, to: "/new-account", by: .key(new))
        #expect(found.headers[.location] == account.url)
        let only = try await lab.post(#"{"onlyReturnExisting":true}"#, to: "/new-account", by: .key(account.key))
        try only.expect(.accountDoesNotExist, 400)
    }

    enum Fault: CaseIterable {
        case noSignature, kidInside, nonceInside, otherURL, signedByOther, otherAccount, otherOldKey, noChange, changed

        func payload(_ account: TestAccount, other: TestAccount, new: AccountKey) throws -> String {
            switch self {
            case .noSignature: "{}"
            case .kidInside: try inner(account, new: new, kid: account.url)
            case .nonceInside: try inner(account, new: new, nonce: "QUJD")
            case .otherURL: try inner(account, new: new, url: ServerLab.base + "/new-account")
            case .signedByOther:
                // The header holds the new key, but the old key signs.
                try Self.forged(account, new: new)
            case .otherAccount: try inner(account, new: new, name: other.url)
            case .otherOldKey: try inner(account, new: new, old: other.key)
            case .noChange:
                String(decoding: try JSONWebSignature.sign(Array("{}".utf8), url: url, with: new), as: UTF8.self)
            case .changed:
                try inner(account, new: new).replacing(/"signature":"([^"])/) { match in
                    #""signature":"\#(match.output.1 == "A" ? "B" : "A")"#
                }
            }
        }

        private static func forged(_ account: TestAccount, new: AccountKey) throws -> String {
            let text = try inner(account, new: new)
            let other = try inner(account, new: account.key)
            let signature = /"signature":"[^"]*"/
            guard let found = other.firstMatch(of: signature) else { return text }
            return text.replacing(signature, with: String(found.output))
        }
    }

    @Test("An inner request that fails a check of RFC 8555 section 7.3.5 changes nothing", arguments: Fault.allCases)
    func refused(fault: Fault) async throws {
        let lab = try ServerLab()
        let (account, other) = (try await lab.account(), try await lab.account())
        let new = try AccountKey(.init(P256.Signing.PrivateKey()))
        let payload = try fault.payload(account, other: other, new: new)
        try await lab.post(payload, to: "/key-change", by: account).expect(.malformed, 400)
        #expect(try await lab.post("", to: account.path, by: account).status == .ok)
        let only = try await lab.post(#"{"onlyReturnExisting":true}"#, to: "/new-account", by: .key(new))
        try only.expect(.accountDoesNotExist, 400)
    }

    @Test("A key of another account is refused with 409 and that account's URL", arguments: [true, false])
    func conflict(isOwn: Bool) async throws {
        let lab = try ServerLab()
        let (account, other) = (try await lab.account(), try await lab.account())
        let holder = isOwn ? account : other
        let response = try await lab.post(
            Self.inner(account, new: holder.key), to: "/key-change", by: account)
        try response.expect(.malformed, 409)
        #expect(response.headers[.location] == holder.url)
    }

    @Test("Of two concurrent changes to the same key, one succeeds") func parallel() async throws {
        let lab = try ServerLab()
        let accounts = [try await lab.account(), try await lab.account(), try await lab.account()]
        let new = try AccountKey(.init(P256.Signing.PrivateKey()))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for account in accounts {
                group.addTask {
                    try await lab.post(Self.inner(account, new: new), to: "/key-change", by: account).status.code
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 409, 409])
    }
}
