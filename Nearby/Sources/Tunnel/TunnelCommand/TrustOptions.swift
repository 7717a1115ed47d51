// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import EthernetTunnel
import Identities
import NearbyProgram

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options for the mutual authentication of both sides.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The certificate to present, its issuers and its key, in PEM or PKCS#12 without a passphrase.",
            valueName: "file"))
    var identity: String

    @Option(
        help: ArgumentHelp(
            "The certificates of trusted authorities, or the other side's own certificate; may be repeated. The file is read again while the tunnel runs.",
            valueName: "file"))
    var ca: [String]

    @Option(
        help: ArgumentHelp(
            "A revocation list; may be repeated. Every certificate below the anchor then requires a current list that does not revoke it. The file is read again while the tunnel runs.",
            valueName: "file"))
    var crl: [String] = []

    @Option(
        help: ArgumentHelp(
            "A pin such as sha256/…, at least one of which the other side must match; may be repeated.",
            valueName: "pin"))
    var pin: [String] = []

    @Option(
        help: ArgumentHelp("A file with one pin on each line, read again while the tunnel runs.", valueName: "file"))
    var pins: String?

    @Option(
        help: ArgumentHelp(
            "A DNS name, address or mailbox, at least one of which the other side's certificate must contain; may be repeated. The default is the listener's name, or any name for connecting peers.",
            valueName: "name"))
    var peerName: [String] = []

    @Option(help: ArgumentHelp("The interval for evaluating the other side's certificate.", valueName: "seconds"))
    var recheck = 30

    @Option(help: ArgumentHelp("The UDP and TCP port of the listener.", valueName: "number"))
    var port: UInt16 = TunnelOptions.defaultPort

    func validate() throws {
        if ca.isEmpty { throw ValidationError("--ca is required: it specifies the trusted authorities.") }
        if recheck < 1 { throw ValidationError("--recheck must be at least 1.") }
        for pin in pin where (try? Pin(pin)) == nil { throw ValidationError("\"\(pin)\" is not a pin.") }
    }

    var trust: TunnelTrust {
        TunnelTrust(
            authorities: ca, revocationLists: crl, pins: Set(pin.compactMap { try? Pin($0) }), pinFile: pins,
            names: peerName)
    }

    func readIdentity() throws -> Identity {
        guard let bytes = try? Data(contentsOf: URL(filePath: identity)) else { throw FileProblem.unreadable(identity) }
        return try Identity.read(bytes)
    }
}
