// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
import EssentialFoundation

/// A request to the web application, by default as one of its pages sends it.
struct WebRequest: Sendable {
    enum Value: Hashable, Sendable {
        /// The value that the application's page would send.
        case own
        case other(String)
        case missing
    }

    var method = "GET"
    var path: String
    var host = Value.own
    var origin = Value.own
    var site = Value.own
    var cookie = Value.own
    var formToken = Value.own
    var type = "application/x-www-form-urlencoded"
    /// The fields of the form; `nil` for a request without a form.
    var fields: [String: String]?
    /// Additional header lines and the body, instead of a form.
    var rest: String?

    static func get(_ path: String) -> Self { WebRequest(path: path, origin: .missing) }

    static func form(_ path: String, _ fields: [String: String] = [:]) -> Self {
        WebRequest(method: "POST", path: path, fields: fields)
    }

    /// Returns the request with changes.
    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    func text(in scene: WebScene) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close"]
        func add(_ name: String, _ value: Value, _ own: String) {
            switch value {
            case .own: lines.append("\(name): \(own)")
            case .other(let other):
                lines.append("\(name): \(other.replacing("PORT", with: "\(scene.port)"))")
            case .missing: break
            }
        }
        let origin = scene.server.origin
        add("Host", host, origin.authority)
        add("Origin", self.origin, origin.description)
        add("Sec-Fetch-Site", site, "same-origin")
        add("Cookie", cookie, "\(origin.cookieName)=\(scene.cookie)")
        if let rest { return lines.joined(separator: "\r\n") + "\r\n" + rest }
        var body = ""
        if var fields {
            switch formToken {
            case .own: fields["form-token"] = scene.formToken
            case .other(let other): fields["form-token"] = other
            case .missing: break
            }
            body = fields.map { "\($0.key)=\(Self.encode($0.value))" }.joined(separator: "&")
            lines += ["Content-Type: \(type)", "Content-Length: \(body.utf8.count)"]
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
