// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a test tells the server about how to serve.
enum ServerCommand: Hashable, Sendable {
    /// Who brings no credential is answered before the body is read.
    case requiresAuthorization
    /// So many bytes of a body are not waited for.
    case skips(Int)
    /// A body that is announced by `Expect` is not waited for.
    case ignoresExpectation
    /// Nothing is answered at all.
    case staysSilent
    /// Every connection serves one request.
    case closes

    /// - Returns: `nil` for what changes nothing of what is compared here.
    init?(_ line: String) {
        let words = line.split { $0 == ":" || $0 == " " }
        switch words.first {
        case "auth_required": self = .requiresAuthorization
        case "skip": self = .skips(words.dropFirst().first.flatMap { Int($0) }.map { max($0, 0) } ?? 0)
        case "no-expect": self = .ignoresExpectation
        case "idle": self = .staysSilent
        case "close": self = .closes
        default: return nil
        }
    }
}
