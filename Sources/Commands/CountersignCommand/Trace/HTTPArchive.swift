// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A recording of exchanges in the form that browsers write and read: HTTP Archive 1.2.
struct HTTPArchive: Encodable {
    struct Log: Encodable {
        let version = "1.2"
        let creator: Creator
        let entries: [Entry]
        let comment: String?
    }

    struct Creator: Encodable {
        let name: String
        let version: String
    }

    struct Entry: Encodable {
        let startedDateTime: String
        /// In milliseconds, as all times are.
        let time: Double
        let request: Request
        let response: Response
        let cache = Cache()
        let timings: Timings
        let serverIPAddress: String?
        let connection: String?
        let comment: String?
    }

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion: String
        let cookies: [NamedValue]
        let headers: [NamedValue]
        let queryString: [NamedValue]
        let headersSize = -1
        /// -1 where it is not known, as everywhere here.
        let bodySize: Int
    }

    struct Response: Encodable {
        /// 0 where no response came.
        let status: Int
        let statusText: String
        let httpVersion: String
        let cookies: [NamedValue]
        let headers: [NamedValue]
        let content: Content
        let redirectURL: String
        let headersSize = -1
        let bodySize: Int
    }

    struct Content: Encodable {
        let size: Int
        let mimeType: String
    }

    struct NamedValue: Encodable {
        let name: String
        let value: String
    }

    /// The trace tells nothing about caches; the format requires the object.
    struct Cache: Encodable {}

    /// -1 where a stage was not gone through, or is not known.
    struct Timings: Encodable {
        let blocked = -1.0
        let dns: Double
        /// TLS included, as the form has it, and the way through a proxy, whose own exchanges are entries beside.
        let connect: Double
        /// It is within `wait`.
        let send = 0.0
        let wait: Double
        let receive: Double
        let ssl: Double
    }

    let log: Log
}
