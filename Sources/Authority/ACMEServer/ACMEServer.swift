// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An ACME server (RFC 8555) without sockets: requests in, responses out.
///
/// The server keeps nothing but the validations that are under way. All else is in its store, so that several servers can share one.
public struct ACMEServer: Sendable {
    /// The longest body of a request that is read, in bytes: 128 KiB.
    public static let largestRequest = JSONWebSignature.largest

    let configuration: Configuration
    let store: any ACMEStore
    let issuer: any CertificateIssuer
    let validator: any ChallengeValidator
    let nonces: Nonces
    let validations: Validations
    let clock: @Sendable () -> Date

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - store: The store, which keeps accounts, orders and certificates.
    ///   - issuer: The authority, which issues and revokes certificates.
    ///   - validator: The validator, which checks challenges.
    ///   - clock: Returns the time; the default is the system's clock.
    public init(
        _ configuration: Configuration, store: any ACMEStore, issuer: any CertificateIssuer,
        validator: any ChallengeValidator, clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.configuration, self.store, self.issuer) = (configuration, store, issuer)
        (self.validator, self.clock) = (validator, clock)
        nonces = Nonces(key: configuration.nonceKey)
        validations = Validations(limit: configuration.mostValidations)
    }

    /// Answers a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response. A failure is a problem document (RFC 7807); a failure of the store, the issuer or the server has the
    ///   status 500 and reveals no details.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        var response: ServerResponse
        do {
            response = try await answer(request)
        } catch let refusal as Refusal {
            response = (try? refusal.response) ?? ServerResponse(status: refusal.status)
        } catch {
            response =
                (try? Refusal(.serverInternal, "The server failed.").response)
                ?? ServerResponse(status: .internalServerError)
        }
        // A proxy that kept a nonce would give it to others.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response = response.adding(.replayNonce, nonces.make(now: clock()))
        return request.path == Location.directory.path ? response : response.linking(to: url(.directory), "index")
    }

    /// Waits until no validation is under way in this server.
    public func finishValidations() async { await validations.finish() }

    /// Removes expired records and nonces from the store, for which one call an hour is enough.
    ///
    /// - Throws: What ``ACMEStore/transact(_:)`` of the store throws.
    public func removeExpired() async throws {
        let now = clock()
        try await store.transact { try $0.removeExpired(before: now) }
    }

    private func answer(_ request: ServerRequest) async throws -> ServerResponse {
        guard let location = Location(path: request.path) else { throw Refusal.notFound("resource") }
        switch (request.method, location) {
        case (.get, .directory), (.head, .directory): return try directory
        case (.head, .newNonce): return ServerResponse()
        case (.get, .newNonce): return ServerResponse(status: .noContent)
        case (.get, .renewalInfo(let id)), (.head, .renewalInfo(let id)): return try await renewalInfo(id)
        case (.post, .directory), (.post, .newNonce), (.post, .renewalInfo): throw Self.wrongMethod("GET, HEAD")
        case (.post, _): return try await answer(try await open(request), at: location)
        default: throw Self.wrongMethod("POST")
        }
    }

    private static func wrongMethod(_ allowed: String) -> Refusal {
        var refusal = Refusal(
            .malformed, "This resource does not know the method; it knows \(allowed).", status: .methodNotAllowed)
        refusal.headers[.allow] = allowed
        return refusal
    }

    private func answer(_ request: SignedRequest, at location: Location) async throws -> ServerResponse {
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

    /// Runs a transaction whose refusals reach the client as they are, whatever the store makes of errors.
    ///
    /// A refusal is not rolled back: the body checks before it saves.
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

    /// An identifier of 128 random bits.
    static func newIdentifier(bytes: Int = 16) -> String {
        Base64URL.encode((0..<bytes).map { _ in UInt8.random(in: .min ... .max) })
    }
}
