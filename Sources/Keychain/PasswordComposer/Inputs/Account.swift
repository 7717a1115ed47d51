// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The account at a site that a password is for, and the number of the password.
public struct Account: Sendable, Hashable {
    let login: [UInt8]
    let counter: UInt32

    /// Creates an account from a login in UTF-8.
    ///
    /// - Parameters:
    ///   - login: The login as UTF-8, which may be empty.
    ///   - counter: The number of the password, from 1, the default. Another number gives another password.
    public init(loginBytes login: [UInt8], counter: UInt32 = 1) {
        (self.login, self.counter) = (login, counter)
    }

    /// Creates an account from a login.
    ///
    /// - Parameters:
    ///   - login: The login; empty by default.
    ///   - counter: The number of the password, from 1, the default. Another number gives another password.
    public init(login: String = "", counter: UInt32 = 1) {
        self.init(loginBytes: Array(login.utf8), counter: counter)
    }
}
