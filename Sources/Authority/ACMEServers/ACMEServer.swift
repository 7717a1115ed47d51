// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
public import EssentialFoundation
internal import HTTPTypes
internal import X509

/// An ACME server (RFC 8555) without sockets, which turns requests into responses.
///
/// The server itself keeps only the running validations. All other state is in its store, so that several servers can
/// share one.
public struct ACMEServer: Sendable {
    /// The maximum size of a request body in bytes: 128 KiB.
    public static let maximumRequestSize = JSONWebSignature.maximumSize

    let configuration: Configuration
    let store: any ACMEStore
    let issuer: any CertificateIssuer
    let validator: any ChallengeValidator
    let nonces: Nonces
    let validations: Validations
    let clock: @Sendable () -> Date

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - store: The store for accounts, orders and certificates.
    ///   - issuer: The authority, which issues and revokes certificates.
    ///   - validator: The validator, which checks challenges.
    ///   - clock: Returns the current time; the default is the system clock.
    public init(
        _ configuration: Configuration, store: any ACMEStore, issuer: any CertificateIssuer,
        validator: any ChallengeValidator, clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.configuration, self.store, self.issuer) = (configuration, store, issuer)
        (self.validator, self.clock) = (validator, clock)
        nonces = Nonces(key: configuration.nonceKey)
        validations = Validations(limit: configuration.maximumValidationCount)
    }

    /// Responds to a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response. A failure is a problem document (RFC 7807). If the store, the issuer or the server
    ///   itself fails, it has status 500 and no details.
    public func respond(to request: ACMEServerRequest) async -> ACMEServerResponse {
        var response: ACMEServerResponse
        do {
            response = try await answer(request)
        } catch let refusal as Refusal {
            response = (try? refusal.response) ?? ACMEServerResponse(status: refusal.status)
        } catch {
            response =
                (try? Refusal(.serverInternal, "The server failed.").response)
                ?? ACMEServerResponse(status: .internalServerError)
        }
        // A proxy that cached a nonce would give it to other clients.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response = response.adding(.replayNonce, nonces.make(now: clock()))
        return request.path == Location.directory.path ? response : response.linking(to: url(.directory), "index")
    }

    /// Waits until this server has no running validation.
    public func finishValidations() async { await validations.finish() }

    /// Removes expired records and nonces from the store.
    ///
    /// One call an hour is enough.
    ///
    /// - Throws: Any error of the store's ``ACMEStore/transact(_:)``.
    public func removeExpired() async throws {
        let now = clock()
        try await store.transact { try $0.removeExpired(before: now) }
    }

    private func answer(_ request: ACMEServerRequest) async throws -> ACMEServerResponse {
        guard let location = Location(path: request.path) else { throw Refusal.notFound("resource") }
        switch (request.method, location) {
        case (.get, .directory), (.head, .directory): return try directory
        case (.head, .newNonce): return ACMEServerResponse()
        case (.get, .newNonce): return ACMEServerResponse(status: .noContent)
        case (.get, .renewalInfo(let id)), (.head, .renewalInfo(let id)): return try await renewalInfo(id)
        case (.post, .directory), (.post, .newNonce), (.post, .renewalInfo): throw Self.wrongMethod("GET, HEAD")
        case (.post, _): return try await answer(try await open(request), at: location)
        default: throw Self.wrongMethod("POST")
        }
    }

    private static func wrongMethod(_ allowed: String) -> Refusal {
        var refusal = Refusal(
            .malformed, "This resource does not support the method; it supports \(allowed).", status: .methodNotAllowed)
        refusal.headers[.allow] = allowed
        return refusal
    }

    private func answer(_ request: SignedRequest, at location: Location) async throws -> ACMEServerResponse {
        switch location {
        case .newAccount: try await newAccount(request)
        case .account(let id): try await account(id, request)
        case .accountOrders(let id): try await orders(of: id, request)
        case .keyChange: try await changeKey(request)
        case .newOrder: try await newOrder(request)
        case .order(let id): try await order(id, request)
        case .finalize(let id): try await finalize(id, request)
        case .authorization(let id): try await authorization(id, request)
        case .challenge(let authorization, let kind): try await challenge(kind, of: authorization, request)
        case .certificate(let id): try await certificate(id, request)
        case .revokeCertificate: try await revoke(request)
        case .directory, .newNonce, .renewalInfo: throw Refusal.notFound("resource")
        }
    }

    func url(_ location: Location) -> String { configuration.baseURL + location.path }

    /// Runs a transaction whose refusals reach the client unchanged, however the store handles errors.
    ///
    /// A refusal does not roll the transaction back, so the body must make its checks before it saves.
    func transact<Value: Sendable>(
        _ body: @Sendable @escaping (any ACMERecords) throws -> Value
    ) async throws -> Value {
        let result: Result<Value, Refusal> = try await store.transact { records in
            do {
                return .success(try body(records))
            } catch let refusal as Refusal {
                return .failure(refusal)
            }
        }
        return try result.get()
    }

    /// Returns a new random identifier, by default of 128 bits.
    static func newIdentifier(bytes: Int = 16) -> String {
        Base64URL.encode((0..<bytes).map { _ in UInt8.random(in: .min ... .max) })
    }
}

/// The resources of the server, with their paths below the base URL.
enum Location: Hashable {
    case directory
    case newNonce
    case newAccount
    case newOrder
    case revokeCertificate
    case keyChange
    case account(String)
    case accountOrders(String)
    case order(String)
    case finalize(String)
    case authorization(String)
    case challenge(authorization: String, kind: String)
    case certificate(String)
    case renewalInfo(String)

    init?(path: String) {
        guard path.utf8.count <= 512, path.first == "/" else { return nil }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (parts.count, parts.first) {
        case (1, "directory"): self = .directory
        case (1, "new-nonce"): self = .newNonce
        case (1, "new-account"): self = .newAccount
        case (1, "new-order"): self = .newOrder
        case (1, "revoke-cert"): self = .revokeCertificate
        case (1, "key-change"): self = .keyChange
        case (2, "account"): self = .account(parts[1])
        case (3, "account") where parts[2] == "orders": self = .accountOrders(parts[1])
        case (2, "order"): self = .order(parts[1])
        case (3, "order") where parts[2] == "finalize": self = .finalize(parts[1])
        case (2, "authorization"): self = .authorization(parts[1])
        case (3, "challenge"): self = .challenge(authorization: parts[1], kind: parts[2])
        case (2, "certificate"): self = .certificate(parts[1])
        case (2, "renewal-info"): self = .renewalInfo(parts[1])
        default: return nil
        }
    }

    var path: String {
        switch self {
        case .directory: "/directory"
        case .newNonce: "/new-nonce"
        case .newAccount: "/new-account"
        case .newOrder: "/new-order"
        case .revokeCertificate: "/revoke-cert"
        case .keyChange: "/key-change"
        case .account(let id): "/account/\(id)"
        case .accountOrders(let id): "/account/\(id)/orders"
        case .order(let id): "/order/\(id)"
        case .finalize(let id): "/order/\(id)/finalize"
        case .authorization(let id): "/authorization/\(id)"
        case .challenge(let authorization, let kind): "/challenge/\(authorization)/\(kind)"
        case .certificate(let id): "/certificate/\(id)"
        case .renewalInfo(let id): "/renewal-info/\(id)"
        }
    }
}

extension ACMEServer {
    /// The directory resource (RFC 8555 section 7.1.1).
    var directory: ACMEServerResponse {
        get throws {
            let meta = ACMEDirectory.Meta(
                termsOfService: configuration.termsOfService, website: configuration.website,
                caaIdentities: configuration.caaIdentities.isEmpty ? nil : configuration.caaIdentities,
                externalAccountRequired: configuration.externalAccountKey == nil ? nil : true,
                profiles: configuration.profiles.isEmpty ? nil : configuration.profiles)
            let directory = ACMEDirectory(
                newNonce: url(.newNonce), newAccount: url(.newAccount), newOrder: url(.newOrder),
                revokeCert: url(.revokeCertificate), keyChange: url(.keyChange),
                renewalInfo: url(.renewalInfo("")).trimmingLastSlash, meta: meta)
            return try ACMEServerResponse(json: directory)
        }
    }

    /// Responds with renewal information, without authentication (RFC 9773 section 4.2).
    func renewalInfo(_ id: String) async throws -> ACMEServerResponse {
        guard let identifier = CertificateIdentifier(id) else {
            throw Refusal(.malformed, "This is not a certificate identifier (RFC 9773 section 4.1).")
        }
        guard let found = try await issuer.certificate(identifier.number),
            CertificateIdentifier(found.certificate) == identifier
        else { throw Refusal.notFound("certificate") }
        let info =
            found.isRevoked
            ? RenewalInfo(revokedBefore: clock())
            : RenewalInfo(validFrom: found.certificate.notValidBefore, to: found.certificate.notValidAfter)
        return try ACMEServerResponse(json: info).adding(.retryAfter, "21600")
    }
}

extension String {
    fileprivate var trimmingLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
