// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

/// Rows with a secret in a URL, which only the URL's server receives and which is not printed.
extension LeakRow {
    private static let secret = "s3cret-in-a-url"

    /// The parameters by which services grant access in URLs.
    ///
    /// They come from OAuth 2.0, OpenID Connect, SAML, Azure SAS, and AWS and Google signatures.
    private static let names = [
        "token", "access_token", "code", "key", "api-key", "subscription-key", "signature", "sig", "password", "passwd",
        "secret",
        "session", "PHPSESSID.session", "auth", "jwt", "state", "SAMLResponse", "X-Amz-Signature", "X-Amz-Credential",
        "X-Amz-Security-Token", "AWSAccessKeyId", "X-Goog-Signature", "GoogleAccessId", "to%6ben",
    ]

    static let urls = [
        row("a redirect") { scene, origin async throws in
            #expect(await scene.get(origin, in: scene.session()) == 200)
        },
        row("a redirect that loops", to: "/") { scene, origin async throws in
            #expect(await scene.get(origin + "?token=\(secret)", in: scene.session()) == nil)
        },
        row("a redirect that is refused") { scene, origin async throws in
            let session = scene.session {
                $0.redirectDecision = { redirect in
                    scene.print("\(redirect)")
                    return .refuse
                }
            }
            #expect(await scene.get(origin, in: session) == nil)
            #expect(await scene.get(origin + "?token=\(secret)", in: scene.session()) == 200)
        },
        row("a redirect to an unsupported scheme", to: "ftp://mary:\(secret)@a.test/?sig=\(secret)") {
            scene, origin async throws in
            #expect(await scene.get(origin + "?sig=\(secret)", in: scene.session()) == nil)
        },
        row("a retried request", status: .serviceUnavailable) { scene, origin async throws in
            let session = scene.session { $0.retries = .upTo(1) }
            #expect(await scene.get(origin + "?token=\(secret)", in: session) == 503)
        },
        row("an unexpected status", status: .notFound) { scene, origin async throws in
            do {
                try await scene.session().send(SessionRequest(url: origin + "?token=\(secret)")).expecting(.ok)
            } catch {
                scene.print("\(error)")
                scene.print(String(reflecting: error))
            }
        },
        row("a malformed URL", at: []) { scene, origin async throws in
            for url in [
                "http://mary:\(secret)@[/?token=\(secret)", "http:///?token=\(secret)",
                "http://a_b.test:0/?sig=\(secret)",
            ] {
                #expect(await scene.get(url, in: scene.session()) == nil)
            }
            #expect(await scene.get(origin, in: scene.session()) == nil)
        },
        row("a fragment", at: []) { scene, origin async throws in
            #expect(await scene.get(origin + "plain#access_token=\(secret)", in: scene.session()) == 200)
        },
    ]

    /// Returns a row whose origin answers with a status, or redirects to a page with secrets in its parameters.
    private static func row(
        _ name: String, to destination: String? = nil, status: HTTPResponse.Status = .found,
        at places: Set<Place> = [.origin],
        then next: @escaping @Sendable (LeakScene, String) async throws -> Void
    ) -> LeakRow {
        LeakRow(
            "\(name) with a secret in its URL", "RFC 9110 section 17.9, CVE-2021-22876",
            guarded: [.init(secret, at: places)],
            arrivals: [.init("GET /", at: .origin)]
        ) { scene async throws in
            let query = names.map { "\($0)=\(secret)" }.joined(separator: "&")
            let location = destination ?? (places.isEmpty ? "http://[" : "/landed;jsessionid=\(secret)?" + query)
            let origin = try await scene.serve(.origin) { request in
                let path = request.head.path ?? ""
                if path.hasPrefix("/landed") || path.hasPrefix("/plain")
                    || path.hasPrefix("/?") && status == .found && destination == nil
                {
                    return .init(.ok)
                }
                if destination == "/", path.hasPrefix("/?") { return .init(.found, [.location: path]) }
                return .init(status, status == .found ? [.location: location] : [:])
            }
            try await next(scene, origin.url())
        }
    }
}
