// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PrometheusText

/// The routes from which clients fetch the revocation list, OCSP responses and the authority's certificate.
struct PublicationRoutes {
    private static let maximumRequestSize = 8_192
    let publisher: Publisher
    let metrics: PrometheusMetrics
    let logger: Logger

    var router: Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.middlewares.add(MetricsMiddleware())
        router.middlewares.add(Failures(logger: logger))
        let publisher = publisher
        router.get("crl") { _, _ in
            Self.response(try await publisher.revocationList(), "application/pkix-crl")
        }
        router.get("authority.cer") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/pkix-cert"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: publisher.authorityCertificate)))
        }
        router.post("ocsp") { request, _ in
            var request = request
            let body = try await request.collectBody(upTo: Self.maximumRequestSize)
            return Self.response(
                try await publisher.response(to: Array(body.readableBytesView)), "application/ocsp-response")
        }
        // RFC 6960 appendix A.1: base64 in the path, which may contain unescaped slashes.
        router.get("ocsp/**") { request, _ in
            let path = request.uri.path.dropFirst("/ocsp/".count)
            guard path.utf8.count <= Self.maximumRequestSize,
                let text = String(path).removingPercentEncoding, let bytes = Data(base64Encoded: text)
            else { throw HTTPError(.badRequest) }
            return Self.response(try await publisher.response(to: Array(bytes)), "application/ocsp-response")
        }
        let metrics = metrics
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
        }
        router.get("health/live") { _, _ in HTTPResponse.Status.noContent }
        router.get("health/ready") { _, _ in
            try await publisher.checkReadiness()
            return HTTPResponse.Status.noContent
        }
        return router
    }

    /// Returns a response with cache headers.
    ///
    /// By RFC 5019 section 6.2, caches may store the response until half of its lifetime has passed, but never store an
    /// OCSP error.
    private static func response(_ cached: Publisher.CachedResponse, _ type: String) -> Response {
        let seconds = Int(max(0, min(cached.end.timeIntervalSince(cached.made) / 2, cached.end.timeIntervalSinceNow)))
        let caching = cached.isRefusal ? "no-store" : "max-age=\(seconds), public, no-transform, must-revalidate"
        return Response(
            status: .ok, headers: [.contentType: type, .cacheControl: caching],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: cached.bytes)))
    }
}

/// Responds 503 with Retry-After, and logs the reason, if the authority's state or key cannot be used.
struct Failures: RouterMiddleware {
    typealias Context = BasicRequestContext

    let logger: Logger

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any ExplainedError {
            logger.error("\(request.method) \(request.uri.path.printable): \(error)")
            throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "60"])
        }
    }
}
