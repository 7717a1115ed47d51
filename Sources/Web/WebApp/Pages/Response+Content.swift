// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// What is no page of this server: the browser draws it apart from the pages, and runs nothing in it.
    static func content(_ type: String, _ body: ResponseBody) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .contentSecurityPolicy: SafetyFields.contentPolicy], body: body)
    }

    static func content(_ type: String, _ bytes: [UInt8]) -> Response {
        content(type, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// What the browser keeps as a file, and does not open.
    static func download(_ body: ResponseBody, name: String) -> Response {
        var response = content("application/octet-stream", body)
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }

    static func download(_ bytes: [UInt8], name: String) -> Response {
        download(ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), name: name)
    }
}
