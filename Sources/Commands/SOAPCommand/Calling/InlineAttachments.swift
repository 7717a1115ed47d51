// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import HTTPTypes
import SOAPClient
import XMLDocuments

/// Puts the binary values that came beside a response (MTOM) into it, so that they are printed with it.
struct InlineAttachments: SOAPInterceptor {
    let console: Console
    let limits: XMLLimits

    func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {
        let type = response.headerFields[.contentType].flatMap(MediaType.init(field:))
        let isXOP = type?["type"]?.lowercased() == "application/xop+xml"
        response.envelope = try await InlinedAttachments.envelope(
            response.envelope, response.attachments, limits: limits)
        if !isXOP, !response.attachments.isEmpty {
            let count = response.attachments.count
            console.complain(
                "countersign: \(count == 1 ? "an attachment" : "\(count) attachments") of the response \(count == 1 ? "is" : "are") not printed"
            )
        }
    }
}
