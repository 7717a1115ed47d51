// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACMEServer
import AuthorityAccess
import AuthorityStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// ACME over the authority and its state, whose expired records it removes every hour.
struct ACMEService: Service {
    let server: ACMEServer
    let place: ACMEPlace

    init(_ options: ACMEOptions, at place: ACMEPlace, for open: OpenAuthority) async throws {
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
                // What could not be removed is removed an hour later.
                try? await server.removeExpired()
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
        await server.finishValidations()
    }
}
