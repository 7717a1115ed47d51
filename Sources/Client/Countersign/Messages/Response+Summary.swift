// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

extension Response {
    /// The summary of the response, with the beginning of its body.
    package func summary(beginning: some Sequence<UInt8>) -> ResponseSummary {
        ResponseSummary(
            status: status, url: Redaction.url(url), contentType: headerFields[.contentType], beginning: beginning)
    }

    /// Reads what the summary keeps and, so that the connection can be used again, the rest where it is not long.
    package func summary() async throws -> ResponseSummary {
        var (beginning, size): ([UInt8], Int) = ([], 0)
        do {
            for try await part in body {
                size += part.readableBytes
                beginning += part.readableBytesView.prefix(ResponseSummary.limit - beginning.count)
                if size > ResponseBody.discardLimit { break }
            }
        } catch is SessionError {
            // What came of the body before its connection was lost is all that there is.
        }
        return summary(beginning: beginning)
    }
}
