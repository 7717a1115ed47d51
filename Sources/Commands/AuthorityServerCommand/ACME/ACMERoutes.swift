// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACMEServer
import HTTPTypes
import Hummingbird
import NIOCore

/// Hands everything below a path to the ACME server.
struct ACMERoutes {
    let server: ACMEServer
    /// Begins with a slash where it is not empty, and does not end with one.
    let path: String

    func add(to router: Router<BasicRequestContext>) {
        for method in [HTTPRequest.Method.get, .head, .post, .put, .delete, .patch] {
            router.on("\(path)/**", method: method) { request, _ in
                var request = request
                // What is too long is refused by ACME's rules too, with a problem document.
                let body = try? await request.collectBody(upTo: ACMEServer.largestRequest)
                let response = await server.respond(
                    to: ServerRequest(
                        method: method, path: String(request.uri.path.dropFirst(path.count)),
                        contentType: request.headers[.contentType], body: body.map { Array($0.readableBytesView) }))
                return Response(
                    status: response.status, headers: response.headers,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
            }
        }
    }
}
