// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import FuzzDriver
import Secrets

/// Fuzzes the cookie jar; the input has the URL of a response,
/// the URL of a request, and Set-Cookie fields, one per line.
@main
enum CookieFuzz {
    private static let suffixes = PublicSuffixList(Array("com\nuk\nco.uk\n*.ck\n!www.ck\n".utf8), sections: .all)

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in CookieSeeds.all.map { Array($0.utf8) } }) { bytes, count in
            CookieFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard lines.count > 2, let source = try? HostEndpoint(of: lines[0]),
            let target = try? HostEndpoint(of: lines[1])
        else {
            return
        }
        let jar = CookieJar(publicSuffixes: suffixes)
        for field in lines.dropFirst(2) {
            guard (try? jar.receive(field, from: lines[0])) != nil else {
                fatalError("the URL is not accepted a second time")
            }
        }
        for cookie in jar.cookies { check(cookie, from: source.host, isSecure: isSecure(lines[0])) }
        for cookie in (try? jar.cookies(for: lines[1])) ?? [] {
            precondition(isBelow(target.host, cookie), "\(cookie) goes to \(target.host)")
            precondition(!cookie.isSecure || isSecure(lines[1]), "\(cookie) goes over plain http")
        }
        checkText(of: jar)
    }

    private static func isSecure(_ url: String) -> Bool { url.lowercased().hasPrefix("https:") }

    private static func check(_ cookie: StoredCookie, from host: HostName, isSecure: Bool) {
        let value = bytes(of: cookie)
        precondition(
            !cookie.name.isEmpty && cookie.name.utf8.count + value.count <= 4_096, "the cookie is empty or too large")
        precondition(cookie.path.utf8.first == UInt8(ascii: "/"), "the path is invalid")
        precondition(isBelow(host, cookie), "\(host) sets \(cookie)")
        precondition(!cookie.isSecure || isSecure, "a secure cookie was set over plain HTTP")
        for byte in Array(cookie.name.utf8) + value {
            precondition(
                byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: ";") || byte == 0x09,
                "the cookie contains a control character")
        }
        if case .domain(let domain) = cookie.scope {
            precondition(!domain.isAddress && !suffixes.isPublicSuffix("\(domain)"), "\(domain) is a public suffix")
        }
        let copy = StoredCookie(
            name: cookie.name, value: cookie.value, scope: cookie.scope, path: cookie.path, expiry: cookie.expiry,
            isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly)
        precondition(copy == cookie, "the cookie differs when written again")
    }

    private static func isBelow(_ host: HostName, _ cookie: StoredCookie) -> Bool {
        switch cookie.scope {
        case .host(let name): host == name
        case .domain(let name): host == name || !host.isAddress && "\(host)".hasSuffix(".\(name)")
        }
    }

    private static func bytes(of cookie: StoredCookie) -> [UInt8] { cookie.value.withUnsafeBytes { Array($0) } }

    /// Checks that a jar with other values has the same description.
    private static func checkText(of jar: CookieJar) {
        let other = CookieJar(publicSuffixes: suffixes)
        for cookie in jar.cookies {
            let changed = StoredCookie(
                name: cookie.name, value: Secret("x"), scope: cookie.scope, path: cookie.path, expiry: cookie.expiry)
            // A cookie of the maximum size may have no space for another value.
            guard let changed else { return }
            other.insert(changed)
        }
        var dumps = ["", ""]
        dump(jar, to: &dumps[0])
        dump(other, to: &dumps[1])
        precondition(
            dumps[0] == dumps[1] && "\(jar.cookies)" == "\(other.cookies)", "a cookie's value is in the description")
    }
}
