// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Decides on the reply to each request of one server.
protocol LabAnswering: Sendable {
    var isSecure: Bool { get }
    func reply(to request: LabRequest) -> LabReply
}
