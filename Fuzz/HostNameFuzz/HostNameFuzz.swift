// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import FuzzDriver
import X509

/// Fuzzes host names; the input has a host name and, after a line break, a certificate's DNS name to match it with.
@main
enum HostNameFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in seeds.map { Array($0.utf8) } }) { bytes, count in
            HostNameFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let seeds = [
        "a.test\n*.test", "WWW.Example.com.\nwww.example.com", "192.0.2.1\n192.0.2.1", "[2001:db8::1]\n*.1",
        "::ffff:192.0.2.1\n", "xn--bcher-kva.example\n*.example", "_srv.a.test\n_srv.*.test", "0x7f.1\n0x7f.1",
    ]

    private static func test(_ input: [UInt8]) {
        let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let text = parts.first, let host = try? HostName(String(decoding: text, as: UTF8.self)) else { return }
        precondition((try? HostName(host.description)) == host, "the canonical form is read differently")
        guard let pattern = parts.dropFirst().first.map({ String(decoding: $0, as: UTF8.self) }),
            HostNameMatching.matches([.dnsName(pattern)], host)
        else { return }
        precondition(!host.isAddress, "an address matches a DNS name")
        precondition(
            pattern.hasPrefix("*.") || pattern.lowercased() == host.description, "a name matches another name")
    }
}
