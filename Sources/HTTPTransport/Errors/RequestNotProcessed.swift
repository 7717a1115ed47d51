// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The server did nothing with the request, and it can be sent again whatever its method (RFC 9110 section 9.2.2).
package struct RequestNotProcessed: Error {
    /// What to say where it is not sent again.
    package let reason: any Error

    package init(reason: any Error) {
        self.reason = (reason as? Self)?.reason ?? reason
    }
}

/// The server wants the request over HTTP/1.1 (RFC 9113 section 7, HTTP_1_1_REQUIRED).
package struct HTTP1Required: Error {
    package init() {}
}
