// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article of the module ACMEClients.

import ACME
import ACMEClients
import Countersign
import X509

func order(accountKey: Certificate.PrivateKey, serverKey: Certificate.PrivateKey) async throws -> IssuedChain {
    let client = try await ACMEClient(directory: "https://ca.home.example/acme/directory", over: HTTPSession())
    let account = try await client.register(try AccountKey(accountKey), contact: ["mailto:mary@home.example"])
    let responder = try await HTTPChallengeResponder.start()
    let issued = try await account.obtain(
        [ACMEIdentifier("www.home.example")].compactMap(\.self), key: serverKey, answering: [responder])
    await responder.close()
    return issued
}
