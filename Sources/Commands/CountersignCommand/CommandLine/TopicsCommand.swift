// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport

/// `countersign topics`, and so `countersign help topics`: the vocabulary of messages and options.
struct TopicsCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics", abstract: "Explain the words of trust and challenges.",
        discussion: text + "\n\nExample: countersign help topics")

    private static let text = """
        anchor: a certificate at which a chain may end: the system's, an imported one, or one of --anchor.
        challenge: what a server or proxy asks for: trust in its chain, a certificate, a password or a token.
        client certificate: an identity's certificate, which the client presents to a server that asks.
        credential: the answer to a challenge: a user and password, a token, an identity, or trust in a chain.
        first use: a server's key is accepted once, and must be the same afterwards (--trust first-use).
        identity: a certificate chain with its private key, in PEM or PKCS#12 (--identity).
        intermediate: a certificate between the server's and the anchor, which the server has to send.
        keychain: an encrypted file of credentials, identities, certificates and notes (countersign keychain).
        method: the kind of an authentication challenge: negotiate, scram-sha-256, digest, ntlm, bearer, basic.
        pin: a key or certificate that the server's chain must contain, in addition to every check (--pin).
        policy: the trust requirements of each domain, in one file (--policy).
        profile: the rules beyond RFC 5280: those of the public web, or of private authorities.
        protection space: host, port, scheme, realm and method: where a credential is valid.
        proxy: a server through which requests go; it has challenges too (--proxy).
        realm: the name that a server gives to a group of resources with the same passwords.
        revocation: the withdrawal of a certificate by its issuer, by a list (CRL) or a response (OCSP).
        verdict: the result of evaluating a chain: the paths that were tried, and the check that each failed.
        """

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try console.print(Self.text)
        return .done
    }
}
