// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

extension RequestBody {
    /// Returns the same body, which reports its progress while it is sent.
    ///
    /// - Parameter report: Called after every part that the connection has taken. Where a challenge or a redirect asks for the body again,
    ///   the count begins again at 0.
    /// - Returns: A body that is streamed, also where it was in memory before. Digest with `qop=auth-int` cannot be answered with it.
    public func reporting(_ report: @escaping @Sendable (TransferProgress) -> Void) -> RequestBody {
        replacingContent { [self] sink in
            let sent = NIOLockedValueBox(0)
            try await produce { part in
                try await sink(part)
                let completed = sent.withLockedValue { sent in
                    sent += part.readableBytes
                    return sent
                }
                report(TransferProgress(completed: completed, total: length))
            }
        }
    }
}

extension Client {
    /// Sends a request, and reports the progress of its body.
    ///
    /// - Parameter request: The request to send. Its body is streamed, even if it is in memory.
    /// - Returns: A transfer whose value is the response, or throws what ``send(_:)`` throws. The response's body has yet to be read.
    public func beginUpload(_ request: Request) -> Transfer<Response> {
        Transfer { report in
            var request = request
            request.body = request.body?.reporting(report)
            return try await send(request)
        }
    }
}
