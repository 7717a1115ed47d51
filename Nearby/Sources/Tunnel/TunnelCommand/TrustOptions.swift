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
            "Certificates of authorities that vouch for the other side, or its own certificate; may be repeated. The file is read again while the tunnel runs.",
            valueName: "file"))
    var ca: [String]

    @Option(
        help: ArgumentHelp(
            "A revocation list; may be repeated. Every certificate below the anchor must then be on a current list as not revoked. The file is read again while the tunnel runs.",
            valueName: "file"))
    var crl: [String] = []

    @Option(
        help: ArgumentHelp(
            "A pin such as sha256/…, of which the other side must satisfy one; may be repeated.", valueName: "pin"))
    var pin: [String] = []

    @Option(help: ArgumentHelp("A file with a pin in each line, read again while the tunnel runs.", valueName: "file"))
    var pins: String?

    @Option(
        help: ArgumentHelp(
            "A name, address or mailbox that the other side's certificate must be for; may be repeated. The default is the name that is connected to, or any for those who connect.",
            valueName: "name"))
    var peerName: [String] = []

    @Option(help: ArgumentHelp("Evaluate the certificate of the other side this often.", valueName: "seconds"))
    var recheck = 30

    @Option(help: ArgumentHelp("The UDP and TCP port of the listener.", valueName: "number"))
    var port: UInt16 = TunnelOptions.defaultPort

    func validate() throws {
        if ca.isEmpty { throw ValidationError("--ca is needed: it says who vouches for the other side.") }
        if recheck < 1 { throw ValidationError("--recheck is at least 1.") }
        for pin in pin where (try? Pin(pin)) == nil { throw ValidationError("\"\(pin)\" is no pin.") }
    }

    var trust: TunnelTrust {
        TunnelTrust(
            authorities: ca, revocationLists: crl, pins: Set(pin.compactMap { try? Pin($0) }), pinFile: pins,
            names: peerName)
    }

    func readIdentity() throws -> Identity {
        guard let bytes = try? Data(contentsOf: URL(filePath: identity)) else { throw FileProblem.notRead(identity) }
        return try Identity.read(bytes)
    }
}
