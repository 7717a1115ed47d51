// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CertificateTrust
import EssentialFoundation
import HTTPTypes
import Hummingbird
import NIOCore
import Secrets
import ServiceLifecycle
import X509

/// The ACME server of an authority, which removes expired records from its state every hour.
struct ACMEService: Service {
    let server: ACMEServer
    let place: ACMEBaseURL

    init(_ options: ACMEOptions, at place: ACMEBaseURL, for open: OpenAuthority) async throws {
        let store = AuthorityACMEStore(store: open.store)
        var configuration = ACMEServer.Configuration(baseURL: place.url)
        configuration.externalAccountKey = options.externalAccountKey()
        configuration.nonceKey = try await store.nonceKey()
        var validators: [any ChallengeValidator] = [
            HTTPValidator(port: options.http01Port), TLSValidator(port: options.tlsAlpn01Port),
        ]
        if let command = options.dnsCheck { validators.append(DNSValidator(command: command)) }
        self.place = place
        server = ACMEServer(
            configuration, store: store, issuer: AuthorityIssuer(open: open),
            validator: ChallengeValidators(validators: validators))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Records that could not be removed are removed an hour later.
                try? await server.removeExpired()
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
        await server.finishValidations()
    }
}

/// Forwards all requests below a path to the ACME server.
struct ACMERoutes {
    let server: ACMEServer
    /// The path, which is empty or begins with a slash, and never ends with one.
    let path: String

    func add(to router: Router<BasicRequestContext>) {
        for method in [HTTPRequest.Method.get, .head, .post, .put, .delete, .patch] {
            router.on("\(path)/**", method: method) { request, _ in
                var request = request
                // If the body is too long, the ACME server receives none, and refuses the request with a
                // problem document.
                let body = try? await request.collectBody(upTo: ACMEServer.maximumRequestSize)
                let response = await server.respond(
                    to: ACMEServerRequest(
                        method: method, path: String(request.uri.path.dropFirst(path.count)),
                        contentType: request.headers[.contentType], body: body.map { Array($0.readableBytesView) }))
                return Response(
                    status: response.status, headers: response.headers,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
            }
        }
    }
}

/// The certificate issuer of the ACME server.
struct AuthorityIssuer: CertificateIssuer {
    let open: OpenAuthority

    func mayIssue(for identifier: ACMEIdentifier) async -> Bool { open.authority.permits(identifier.value) }

    func issue(
        _ request: CertificateRequest, for identifiers: [ACMEIdentifier], profile: String?
    ) async throws -> [Certificate] {
        let now = Date()
        // The common name that the client requests comes first, and so becomes the certificate's common name.
        let common = request.commonNames.compactMap { ACMEIdentifier($0) }
        let names = (identifiers.filter(common.contains) + identifiers.filter { !common.contains($0) }).map(\.value)
        let leaf = LeafProfile.server(names: names, validity: .days(open.settings.leafDays))
        let chain = try open.authority.issue(leaf, for: request.publicKey, now: now)
        try await open.store.record(chain[0], name: names.first ?? "", purpose: .server, now: now)
        return chain
    }

    func revoke(_ serialNumber: Certificate.SerialNumber, reason: RevocationReason) async throws -> Bool {
        try await open.store.revoke(Array(serialNumber.bytes), reason: reason, now: Date())
    }

    func certificate(_ serialNumber: Certificate.SerialNumber) async throws -> IssuedStatus? {
        try await open.store.certificate(Array(serialNumber.bytes)).map {
            IssuedStatus(certificate: $0.certificate, isRevoked: $0.revokedAt != nil)
        }
    }
}

/// The ACME records: accounts, orders and authorizations.
struct AuthorityACMEStore: ACMEStore {
    let store: AuthorityStore

    func transact<Value: Sendable>(
        _ body: @Sendable @escaping (any ACMERecords) throws -> Value
    ) async throws -> Value {
        try await store.transact { try body(Records(records: $0)) }
    }

    /// Returns the nonce key, which all servers of the authority share; the first one creates it.
    func nonceKey() async throws -> Secret {
        try await store.prepareRecords()
        let new = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        let text = try await store.transact { records in
            if let known = try records.find("key", "nonce") { return known }
            try records.save("key", "nonce", list: "", end: nil, new)
            return new
        }
        return Secret(utf8: Array(text.utf8))
    }

    private struct Records: ACMERecords {
        let records: StoredRecords

        func find<Record: ACMERecord>(_ kind: Record.Type, _ id: String) throws -> Record? {
            try records.find(kind.kind, id).map(Self.read)
        }

        func list<Record: ACMERecord>(_ kind: Record.Type, group: String) throws -> [Record] {
            try records.list(kind.kind, group).map(Self.read)
        }

        func save<Record: ACMERecord>(_ record: Record) throws {
            let json = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
            try records.save(Record.kind, record.id, list: record.group, end: record.expiry, json)
        }

        func use(nonce: String, until end: Date) throws -> Bool { try records.use(nonce: nonce, until: end) }

        func removeExpired(before time: Date) throws { try records.removeExpired(before: time) }

        private static func read<Record: ACMERecord>(_ json: String) throws -> Record {
            try JSONDecoder().decode(Record.self, from: Data(json.utf8))
        }
    }
}
