// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A user and a password that a server of the lab accepts; they are no secret.
public struct LabCredentials: Hashable, Sendable {
    /// The user name.
    public let user: String
    /// The password.
    public let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The pair that the lab's servers and proxies let in.
    package static let lab = Self(user: "lab", password: "countersign")

    /// The token that the lab's Bearer server lets in.
    static let token = "countersign-lab-token"
}
