// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

/// The content of an attachment that is sent as the body of a request would be: a file, or a sequence of buffers.
struct BodyContent: XMLAttachmentContent {
    let requestBody: RequestBody

    var size: Int? { requestBody.length }

    /// Gathers the content first; it is sent without that.
    func read(_ body: (ArraySlice<UInt8>) async throws -> Void) async throws {
        let bytes = try await requestBody.collect(upTo: .max)
        try await body(Array(bytes.readableBytesView)[...])
    }
}
